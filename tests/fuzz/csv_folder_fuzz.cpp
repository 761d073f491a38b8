#include <map>
#include <string>

#include "cone/load.hpp"

#include "fuzz/outcome.hpp"

namespace cone::fuzz {
namespace {

/// Between the files of an input; no CSV file has it.
constexpr char kSeparator = '\x1e';

MemoryFiles split(std::string_view input) {
  std::map<std::string, std::string, std::less<>> files;
  for (const char* name : {"nodes.csv", "edges.csv", "features.csv", "feature_names.csv"}) {
    const std::size_t end = std::min(input.find(kSeparator), input.size());
    // An empty part is a missing file.
    if (end > 0) files.emplace(name, input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return MemoryFiles(std::move(files));
}

/// Options that change what the reader does, from the length of the input: libFuzzer varies that
/// too.
LoadOptions some_options(std::size_t size) {
  LoadOptions options;
  options.csv.chunk_bytes = 1 + size % 61;
  options.missing = static_cast<MissingPolicy>(size / 61 % 3);
  return options;
}

void check(const LoadedData& loaded) {
  const Dataset& data = loaded.observed;
  const std::size_t nodes = data.num_nodes();
  require_that(data.features.matrix.rows() == nodes && data.treatment.size() == nodes &&
               data.outcome.size() == nodes && data.graph.num_nodes() == nodes);
  require_that(data.features.names.size() == data.features.matrix.cols());
  require_that(data.num_arms() >= 2 && data.num_arms() <= kMaxArms);
  for (const Arm arm : data.treatment) require_that(arm < data.num_arms());
  for (const std::size_t size : data.arm_sizes()) require_that(size > 0);
  const auto fits = [&](MatrixView<const double> table) {
    return table.rows() == nodes && table.cols() == data.num_arms();
  };
  require_that(!data.propensity || fits(data.propensity->view()));
  require_that(!data.mu || fits(data.mu->view()));
  require_that(!loaded.truth || fits(loaded.truth->outcomes()));
}

}  // namespace
}  // namespace cone::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cone::fuzz::accept_or_refuse([&] {
    const cone::MemoryFiles files = cone::fuzz::split(cone::fuzz::as_text(data, size));
    cone::fuzz::check(
        cone::load_dataset(cone::fuzz::context(), files, cone::fuzz::some_options(size)));
  });
  return 0;
}
