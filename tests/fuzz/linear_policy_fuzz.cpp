#include <cmath>

#include "cone/policy.hpp"

#include "fuzz/byte_source.hpp"
#include "fuzz/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cone::FeatureTable features = {.names = {"age", "word two", "c,d", "\xC3\xA9"}};
  cone::fuzz::accept_or_refuse([&] {
    const cone::LinearPolicyWeights weights = cone::load_linear_policy(
        cone::fuzz::context(), "weights.csv", cone::fuzz::source(data, size), features);
    cone::fuzz::require_that(weights.feature.size() == features.names.size() &&
                             std::isfinite(weights.intercept));
  });
  return 0;
}
