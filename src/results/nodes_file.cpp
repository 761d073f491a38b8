#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "cone/file.hpp"
#include "cone/output.hpp"

#include "results/arm_column.hpp"

namespace cone {
namespace {

std::vector<std::string> name_node_columns(std::span<const std::string> arms,
                                           const NodeTable& table) {
  std::vector<std::string> names = {"id", "arm", "outcome"};
  if (!table.units.empty()) names.emplace_back("weight");
  for (const char* name : {"mu", "propensity"}) {
    for (std::size_t a = 0; a < arms.size(); ++a) names.push_back(column_of_arm(name, arms, a));
  }
  for (const char* name : {"weight:", "influence:"}) {
    for (const std::string& policy : table.policies) names.push_back(name + policy);
  }
  return names;
}

}  // namespace

void write_nodes(const Context& context, std::ostream& out, const Dataset& data,
                 const NodeTable& table, CsvCells cells) {
  CsvWriter lines(out, cells);
  const auto write_number = [&](double value) {
    if (std::isfinite(value)) {
      lines.field(value);
    } else {
      lines.field("");
    }
  };
  for (const std::string& name : name_node_columns(data.arms, table)) lines.field(name);
  lines.end_line();
  constexpr std::size_t kLinesPerReport = 4096;
  for (std::size_t i = 0; i < table.nodes.size(); ++i) {
    if (i % kLinesPerReport == 0) context.report("writing nodes", i, table.nodes.size());
    const NodeIndex node = table.nodes[i];
    lines.field(data.ids[node]).field(data.arms[data.treatment[node]]);
    write_number(data.outcome[node]);
    if (!table.units.empty()) write_number(table.units[i]);
    for (const Matrix<double>* part :
         {&table.mu, &table.propensity, &table.weight, &table.influence}) {
      for (const double value : part->row(i)) write_number(value);
    }
    lines.end_line();
  }
}

}  // namespace cone
