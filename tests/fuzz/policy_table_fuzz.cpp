#include <array>
#include <string_view>

#include "cone/load.hpp"

#include "fuzz/byte_source.hpp"
#include "fuzz/outcome.hpp"

namespace cone::fuzz {
namespace {

/// Two arms with the usual labels, and three with others: for inputs with a colon.
std::array<Dataset, 2> some_data() {
  std::array<Dataset, 2> data;
  for (Dataset& d : data) {
    for (const char* id : {"a", "b", "c,d", "\xC3\xA9"}) d.ids.insert(id);
  }
  data[1].arms = {"control", "1", "two:2"};
  return data;
}

}  // namespace
}  // namespace cone::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::array<cone::Dataset, 2> all = cone::fuzz::some_data();
  const bool has_colon = cone::fuzz::as_text(bytes, size).find(':') != std::string_view::npos;
  const cone::Dataset& data = all[has_colon ? 1 : 0];
  // Small chunks, so that records cross their boundaries.
  const cone::CsvOptions options{.chunk_bytes = 1 + size % 61};
  cone::fuzz::accept_or_refuse([&] {
    const cone::PolicyTable table = cone::load_policy_table(
        cone::fuzz::context(), "policy.csv", cone::fuzz::source(bytes, size), data, options);
    cone::fuzz::require_that(table.names.size() == table.probabilities.size());
    for (const cone::Matrix<double>& policy : table.probabilities) {
      cone::fuzz::require_that(policy.rows() == data.num_nodes() &&
                               policy.cols() == data.num_arms());
      for (std::size_t i = 0; i < policy.rows(); ++i) {
        double sum = 0;
        for (const double p : policy.row(i)) {
          cone::fuzz::require_that(p >= 0 && p <= 1);
          sum += p;
        }
        cone::fuzz::require_that(sum > 1 - 2e-6 && sum < 1 + 2e-6);
      }
    }
  });
  return 0;
}
