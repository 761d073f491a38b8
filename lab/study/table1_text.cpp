#include <fmt/format.h>

#include "cone/text.hpp"

#include "results/text_table.hpp"
#include "study/table1.hpp"

namespace cone {
namespace {

std::string cell(const std::optional<Spread>& spread) {
  return spread ? sentence("{:.1f} ± {:.1f}", spread->mean, spread->sd) : "-";
}

std::string cell(const Spread& spread) {
  return sentence("{:.1f} ± {:.1f}", spread.mean, spread.sd);
}

/// Mean and standard deviation, both empty where there are none.
std::string csv_cells(const std::optional<Spread>& spread) {
  return spread ? csv_line("{},{}", spread->mean, spread->sd) : ",";
}

std::vector<std::string> cells(const Table1Row& row) {
  return {row.network,
          fmt::format("{}", row.kappa2),
          fmt::format("{}", row.num_nodes),
          fmt::format("{}", row.num_features),
          cell(row.paper_treated),
          cell(row.treated),
          cell(row.paper_gaining),
          cell(row.gaining)};
}

std::vector<std::string> titles() {
  return {"network",
          "kappa2",
          "nodes",
          "words",
          "treated, paper",
          "treated, ours",
          "y(1) > y(0), paper",
          "y(1) > y(0), ours"};
}

}  // namespace

std::string table1_text(const std::vector<Table1Row>& rows) {
  std::vector<TextTable::Column> columns;
  for (const std::string& title : titles()) columns.push_back({title});
  columns[0].align = TextTable::Align::kLeft;
  TextTable table(columns);
  for (const Table1Row& row : rows) table.add_row(cells(row));
  return table.to_string();
}

std::string table1_markdown(const std::vector<Table1Row>& rows) {
  std::string text = fmt::format("| {} |\n|", fmt::join(titles(), " | "));
  for (std::size_t j = 0; j < titles().size(); ++j) text += "---|";
  text += '\n';
  for (const Table1Row& row : rows) text += fmt::format("| {} |\n", fmt::join(cells(row), " | "));
  return text;
}

std::string table1_csv(const std::vector<Table1Row>& rows) {
  std::string text =
      "network,kappa2,num_nodes,num_features,paper_treated_mean,paper_treated_sd,treated_mean,"
      "treated_sd,paper_gaining_mean,paper_gaining_sd,gaining_mean,gaining_sd\n";
  for (const Table1Row& row : rows) {
    text +=
        csv_line("{},{},{},{},{},{},{},{},{},{}\n", row.network, row.kappa2, row.num_nodes,
                 row.num_features, csv_cells(row.paper_treated), row.treated.mean, row.treated.sd,
                 csv_cells(row.paper_gaining), row.gaining.mean, row.gaining.sd);
  }
  return text;
}

}  // namespace cone
