#include "study/table1.hpp"

#include <cmath>

#include "base/numeric.hpp"
#include "simulate/semi_synthetic.hpp"
#include "simulate/simulated_data.hpp"

namespace cone {
namespace {

struct PaperTable1Row {
  std::string_view network;
  double kappa2;
  Spread treated;
  Spread gaining;
};

// Guo, Li and Liu (2020), Table 1.
constexpr PaperTable1Row kPaper[] = {
    {"BlogCatalog", 1, {2579.5, 29.9}, {1030.1, 331.3}},
    {"BlogCatalog", 2, {2448.6, 539.7}, {2031.1, 1149.7}},
    {"Flickr", 1, {3700.8, 156.9}, {2708.3, 745.0}},
    {"Flickr", 2, {3859.4, 218.1}, {3182.1, 589.0}},
};

Spread spread_of(const std::vector<double>& values) {
  return {mean(values), std::sqrt(variance(values, 1))};
}

Table1Row simulate_row(const Context& context, const StudyNetwork& study, double kappa2,
                       const Table1Options& options) {
  const TopicNetwork& network = study.network;
  const auto count = static_cast<std::size_t>(options.simulations);
  std::vector<double> treated(count);
  std::vector<double> gaining(count);
  context.for_each_task("simulating", count, [&](std::size_t simulation) {
    const SimulatedLog log =
        simulate_log(context, network.graph, network.topics.view(),
                     {.kappa2 = kappa2, .normalisation = options.normalisation}, simulation);
    const MatrixView<const double> outcomes = log.truth.outcomes();
    for (std::size_t i = 0; i < outcomes.rows(); ++i) {
      treated[simulation] += log.treatment[i];
      gaining[simulation] += outcomes(i, 1) > outcomes(i, 0) ? 1 : 0;
    }
  });
  Table1Row row{.network = study.name,
                .kappa2 = kappa2,
                .treated = spread_of(treated),
                .gaining = spread_of(gaining),
                .num_nodes = network.graph.num_nodes(),
                .num_features = network.features.matrix.cols()};
  for (const PaperTable1Row& paper : kPaper) {
    if (paper.network != study.name || paper.kappa2 != kappa2) continue;
    row.paper_treated = paper.treated;
    row.paper_gaining = paper.gaining;
  }
  return row;
}

}  // namespace

std::vector<Table1Row> reproduce_table1(const Context& context,
                                        std::span<const StudyNetwork> networks,
                                        const Table1Options& options) {
  validate(options);
  std::vector<Table1Row> rows;
  for (const StudyNetwork& network : networks) {
    for (const double kappa2 : {1.0, 2.0}) {
      rows.push_back(simulate_row(context, network, kappa2, options));
    }
  }
  return rows;
}

StudyReport report_table1(const std::vector<Table1Row>& rows) {
  const auto spread = [](const char* name, const char* title) {
    return StudyColumn{.name = std::string(name) + "_mean",
                       .title = title,
                       .form = StudyColumn::Form::kFixed,
                       .digits = 1,
                       .error = std::string(name) + "_sd"};
  };
  StudyReport report{.table = StudyTable({{"network"},
                                          {"kappa2"},
                                          {"num_nodes", "nodes"},
                                          {"num_features", "words"},
                                          spread("paper_treated", "treated, paper"),
                                          {"paper_treated_sd"},
                                          spread("treated", "treated, ours"),
                                          {"treated_sd"},
                                          spread("paper_gaining", "y(1) > y(0), paper"),
                                          {"paper_gaining_sd"},
                                          spread("gaining", "y(1) > y(0), ours"),
                                          {"gaining_sd"}})};
  for (const Table1Row& row : rows) {
    const auto mean_of = [](const auto& s) { return s ? StudyValue(s->mean) : StudyValue(); };
    const auto sd_of = [](const auto& s) { return s ? StudyValue(s->sd) : StudyValue(); };
    report.table.add({row.network, row.kappa2, row.num_nodes, row.num_features,
                      mean_of(row.paper_treated), sd_of(row.paper_treated), row.treated.mean,
                      row.treated.sd, mean_of(row.paper_gaining), sd_of(row.paper_gaining),
                      row.gaining.mean, row.gaining.sd});
  }
  report.shown.push_back(show(
      report.table,
      {.keys = {"network", "kappa2", "num_nodes", "num_features"},
       .shown = {
           {"paper_treated_mean"}, {"treated_mean"}, {"paper_gaining_mean"}, {"gaining_mean"}}}));
  return report;
}

}  // namespace cone
