#include "results/ridge_text.hpp"

#include <vector>

#include "cone/text.hpp"

#include "results/text_table.hpp"

namespace cone {

std::string variance_shares_text(const NetworkRidgeSummary& ridge) {
  std::vector<TextTable::Column> columns = {{"arm", TextTable::Align::kLeft}, {"nodes"}};
  for (const auto& [name, variance] : ridge.arms.front().groups) columns.push_back({name});
  columns.push_back({"noise"});
  TextTable table(columns);
  for (const ArmVariances& arm : ridge.arms) {
    const double noise = arm.noise + arm.noise_growth;
    double total = noise;
    for (const auto& [name, variance] : arm.groups) total += variance;
    std::vector<std::string> cells = {printable(arm.arm), grouped(arm.num_nodes)};
    const auto add_share = [&](double variance) {
      cells.push_back(sentence("{:.1f} %", total > 0 ? 100 * variance / total : 0));
    };
    for (const auto& [name, variance] : arm.groups) add_share(variance);
    add_share(noise);
    table.add_row(cells);
  }
  return table.to_string();
}

}  // namespace cone
