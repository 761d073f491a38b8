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

}  // namespace cone
