#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/file.hpp"
#include "cone/output.hpp"

#include "results/arm_column.hpp"

namespace cone {
namespace {

/// effect, or effect:email: with arms 0 and 1 there is only one effect.
std::string column_of_effect(std::string_view name, std::span<const std::string> arms,
                             std::size_t arm) {
  return has_plain_labels(arms) ? std::string(name) : column_of_arm(name, arms, arm);
}

std::vector<std::string> list_columns(std::span<const std::string> arms,
                                      const NodeEffects& effects) {
  std::vector<std::string> names = {"id"};
  for (std::size_t a = 0; a < arms.size(); ++a) names.push_back(column_of_arm("mu", arms, a));
  for (const char* name : {"effect", "effect_sd"}) {
    for (std::size_t a = 1; a < arms.size(); ++a) {
      names.push_back(column_of_effect(name, arms, a));
    }
  }
  for (std::size_t a = 0; a < arms.size(); ++a) names.push_back(column_of_arm("mu_sd", arms, a));
  for (std::size_t a = 0; a < arms.size(); ++a) {
    for (const std::string& part : effects.part_names) {
      names.push_back(fmt::format("{}:{}", column_of_arm("part", arms, a), part));
    }
  }
  return names;
}

}  // namespace

void write_effects(const Context& context, std::ostream& out, const Dataset& data,
                   const NodeEffects& effects, CsvCells cells) {
  CsvWriter lines(out, cells);
  for (const std::string& name : list_columns(data.arms, effects)) lines.field(name);
  lines.end_line();
  constexpr std::size_t kLinesPerReport = 4096;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    if (i % kLinesPerReport == 0) context.report("writing effects", i, data.num_nodes());
    lines.field(data.ids[static_cast<NodeIndex>(i)]);
    for (const Matrix<double>* table :
         {&effects.mu, &effects.effect, &effects.effect_sd, &effects.mu_sd, &effects.parts}) {
      for (const double value : table->row(i)) lines.field(value);
    }
    lines.end_line();
  }
}

}  // namespace cone
