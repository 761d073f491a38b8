#include "run_summary.hpp"

#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cone/text.hpp"

#include "data_argument.hpp"

namespace cone::app {
namespace {

/// "62 treated" where the arms are 0 and 1, else the size of every arm, the control arm first.
std::string describe_arms(const DataSummary& data) {
  if (data.arms.size() == 2 && data.arms[0].label == "0" && data.arms[1].label == "1") {
    return fmt::format("{} treated", grouped(data.num_treated));
  }
  std::vector<std::string> sizes;
  for (const ArmSummary& arm : data.arms) {
    sizes.push_back(fmt::format("{} {}", printable(arm.label), grouped(arm.num_nodes)));
  }
  return fmt::format("arms: {} (control first)", fmt::join(sizes, ", "));
}

}  // namespace

void print_summary(const EvaluationRecord& record, const LoadedData& loaded) {
  const DataSummary& data = record.data;
  std::cerr << fmt::format("{} nodes, {} edges, {} features, {}", grouped(data.num_nodes),
                           grouped(data.num_edges), grouped(data.num_features),
                           describe_arms(data));
  const Diagnostics& d = record.diagnostics;
  if (d.num_evaluated_nodes != data.num_nodes) {
    std::cerr << fmt::format("; value over {} test nodes", grouped(d.num_evaluated_nodes));
  }
  if (d.num_edges_merged + d.num_self_loops_dropped > 0) {
    std::cerr << fmt::format("; {} repeated edge lines merged, {} self loops dropped",
                             grouped(d.num_edges_merged), grouped(d.num_self_loops_dropped));
  }
  std::cerr << '\n';
  print_notes(loaded);
  for (std::size_t i = loaded.notes.size(); i < record.notes.size(); ++i) {
    std::cerr << "note: " << record.notes[i] << '\n';  // those of the run follow the data's
  }
  std::cerr << '\n';
}

}  // namespace cone::app
