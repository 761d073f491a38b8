#include "cone_networks/export_attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"
#include "data/array_file.hpp"

namespace cone {
namespace {

void write_header(CsvWriter& lines, std::uint32_t heads) {
  lines.field("source").field("target");
  for (const char* tower : {"treatment", "outcome"}) {
    for (std::uint32_t k = 1; k <= heads; ++k) lines.field(fmt::format("{}_head{}", tower, k));
  }
  lines.end_line();
}

/// Sums of finite weights of an untrusted model may overflow.
[[noreturn]] void refuse_weights() {
  throw Error(ErrorCode::kData, Fault{.what = "the model's attention weights are not finite",
                                      .advice = "fit the model again with cone fit"});
}

void write_pair(CsvWriter& lines, const Dataset& data, const AttentionPair& pair) {
  lines.field(data.ids[pair.node]).field(data.ids[pair.attended]);
  for (const auto heads : {pair.treatment_heads, pair.outcome_heads}) {
    for (const float weight : heads) {
      if (!std::isfinite(weight)) refuse_weights();
      lines.field(weight);
    }
  }
  lines.end_line();
}

}  // namespace

void require_attention(const ConeOptions& options) {
  const EncoderParts<float> parts({.num_features = 1}, options);
  if (parts.towers.first_layer().num_pair_weights() > 0) return;
  throw Error(ErrorCode::kUsage, {{.item = "--attention"},
                                  fmt::format("the encoder {} has no attention weights to write",
                                              enum_name(options.encoder)),
                                  "leave it out, or fit with --encoder attention"});
}

void write_attention(const Context& context, std::ostream& out, const Dataset& data,
                     const ConeFit& fit, CsvCells cells) {
  require_attention(fit.options);
  const FitPlan plan = redraw_plan_checked(context, data, fit);
  const ConeInput input(data);
  CsvWriter lines(out, cells);
  write_header(lines, fit.options.heads);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    context.report("writing attention", t, plan.tasks.size());
    std::vector<bool> is_scored(data.num_nodes());
    for (const NodeIndex i : plan.tasks[t].score) is_scored[i] = true;
    for_each_attention(context, input, fit.options, fit.folds[t].encoder,
                       [&](const AttentionPair& pair) {
                         if (is_scored[pair.node]) write_pair(lines, data, pair);
                       });
  }
  context.report("writing attention", plan.tasks.size(), plan.tasks.size());
}

void write_representations(const Context& context, std::ostream& out, const Dataset& data,
                           const ConeFit& fit) {
  const FitPlan plan = redraw_plan_checked(context, data, fit);
  const Matrix<float> encoded =
      fit.z.rows() > 0 ? Matrix<float>() : encode_scored_nodes(context, data, plan, fit);
  const Matrix<float>& scored = fit.z.rows() > 0 ? fit.z : encoded;
  Matrix<float> z(data.num_nodes(), scored.cols());
  for (std::size_t k = 0; k < plan.scored.size(); ++k) {
    std::copy(scored.row(k).begin(), scored.row(k).end(), z.row(plan.scored[k]).begin());
  }
  write_npy(out, std::as_const(z).view());
}

}  // namespace cone
