#include "data/load.hpp"
#include "fuzz/byte_source.hpp"
#include "fuzz/outcome.hpp"

namespace cone::fuzz {
namespace {

IdTable some_ids() {
  IdTable ids;
  for (const char* id : {"a", "b", "c,d", "\xC3\xA9"}) ids.insert(id);
  return ids;
}

}  // namespace
}  // namespace cone::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cone::IdTable ids = cone::fuzz::some_ids();
  // Small chunks, so that records cross their borders.
  const cone::CsvOptions options{.chunk_bytes = 1 + size % 61};
  cone::fuzz::accept_or_refuse([&] {
    const cone::PolicyTable table = cone::load_policy_table(
        cone::fuzz::context(), "policy.csv", cone::fuzz::source(data, size), ids, options);
    cone::fuzz::require_that(table.names.size() == table.probabilities.size());
    for (const std::vector<double>& policy : table.probabilities) {
      cone::fuzz::require_that(policy.size() == ids.size());
      for (const double p : policy) cone::fuzz::require_that(p >= 0 && p <= 1);
    }
  });
  return 0;
}
