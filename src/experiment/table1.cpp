#include "cone/experiment/table1.hpp"

#include <cmath>

#include "cone/base/numeric.hpp"
#include "cone/data/load.hpp"
#include "cone/simulate/simulated_data.hpp"

#include "experiment/real_networks.hpp"

namespace cone {
namespace {

struct PaperRow {
  std::string_view network;
  double kappa2;
  Spread treated;
  Spread gaining;
};

// Guo, Li and Liu (2020), Table 1.
constexpr PaperRow kPaper[] = {
    {"BlogCatalog", 1, {2579.5, 29.9}, {1030.1, 331.3}},
    {"BlogCatalog", 2, {2448.6, 539.7}, {2031.1, 1149.7}},
    {"Flickr", 1, {3700.8, 156.9}, {2708.3, 745.0}},
    {"Flickr", 2, {3859.4, 218.1}, {3182.1, 589.0}},
};

Spread spread_of(const std::vector<double>& values) {
  return {mean(values), std::sqrt(variance(values, 1))};
}

Table1Row simulate_row(const Context& context, const TopicNetwork& network, const PaperRow& paper,
                       const Table1Options& options) {
  const auto count = static_cast<std::size_t>(options.simulations);
  std::vector<double> treated(count);
  std::vector<double> gaining(count);
  context.for_each_task("simulating", count, [&](std::size_t simulation) {
    const SimulatedLog log =
        simulate_log(context, network.graph, network.topics.view(),
                     {.kappa2 = paper.kappa2, .normalisation = options.normalisation}, simulation);
    const auto y0 = log.truth.y0();
    const auto y1 = log.truth.y1();
    for (std::size_t i = 0; i < y0.size(); ++i) {
      treated[simulation] += log.treatment[i];
      gaining[simulation] += y1[i] > y0[i] ? 1 : 0;
    }
  });
  return {.network = std::string(paper.network),
          .kappa2 = paper.kappa2,
          .paper_treated = paper.treated,
          .paper_gaining = paper.gaining,
          .treated = spread_of(treated),
          .gaining = spread_of(gaining),
          .num_nodes = network.graph.num_nodes(),
          .num_features = network.features.matrix.cols()};
}

}  // namespace

std::vector<Table1Row> reproduce_table1(const Context& context,
                                        const std::filesystem::path& data_folder,
                                        const Table1Options& options) {
  validate(options);
  require_real_networks(data_folder);
  std::vector<Table1Row> rows;
  for (const RealNetwork& real : kRealNetworks) {
    const TopicNetwork network = fitted_topic_network(
        context, load_dataset(context, data_folder / real.file), {}, real.top_words);
    for (const PaperRow& paper : kPaper) {
      if (paper.network != real.name) continue;
      rows.push_back(simulate_row(context, network, paper, options));
    }
  }
  return rows;
}

}  // namespace cone
