#include "report/bar_chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {

Html weights_figure(const RecordView& weights, double num_nodes) {
  std::vector<BarRow> rows;
  Table table({"policy", "ESS", "median weight", "90 % quantile", "99 % quantile", "max weight",
               "weight share of the top 1 %"});
  for (const RecordView& tail : weights.entries()) {
    const double effective = tail.number("effective_sample_size");
    rows.push_back({tail.text("policy"), effective / num_nodes, count_text(effective)});
    table.add_row({rows.back().label, count_text(effective), number_text(tail.number("median")),
                   number_text(tail.number("quantile_90")), number_text(tail.number("quantile_99")),
                   number_text(tail.number("max")), percent_text(tail.number("heaviest_share"))});
  }
  if (rows.empty()) return {};
  return figure(
      "Effective sample size (ESS) of the weights; evaluated nodes: " + count_text(num_nodes),
      bar_chart(rows, "Effective sample size of every policy's weights",
                "One bar per policy: effective sample size as a share of all evaluated "
                "nodes."),
      table.finish("Weights of every policy"));
}

}  // namespace cone::report
