#include "cone_networks/fold_propensity.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "cone/learn.hpp"

#include "cone_networks/z_rows.hpp"
#include "data/split.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {
namespace {

/// The shares of the arms with one node added to each (add-one smoothing), so that no probability
/// is 0 or 1.
PropensityFit constant_propensity(std::span<const std::size_t> arm_sizes, std::size_t num_columns) {
  const std::size_t num_arms = arm_sizes.size();
  const auto total =
      static_cast<double>(std::accumulate(arm_sizes.begin(), arm_sizes.end(), std::size_t{0}));
  std::vector<double> share(num_arms);
  share[kControlArm] = 1;
  for (std::size_t a = 1; a < num_arms; ++a) {
    share[a] = (static_cast<double>(arm_sizes[a]) + 1) / (total + static_cast<double>(num_arms));
    share[kControlArm] -= share[a];
  }
  PropensityFit fit{
      .model = {.coefficients = Matrix<double>(num_arms - 1, num_columns), .converged = true}};
  double log_likelihood = 0;
  for (std::size_t a = 1; a < num_arms; ++a) {
    fit.model.intercepts.push_back(std::log(share[a] / share[kControlArm]));
    log_likelihood += static_cast<double>(arm_sizes[a]) * std::log(share[a]);
  }
  log_likelihood += static_cast<double>(arm_sizes[kControlArm]) * std::log(share[kControlArm]);
  fit.held_out_loss = -log_likelihood / total;
  return fit;
}

/// A task over the row indices of `nodes`: fit on all rows, select by folds.
FitTask row_indexed_task(const Dataset& data, std::span<const NodeIndex> nodes, int num_folds,
                         std::uint64_t seed) {
  FitTask task;
  task.fit.resize(nodes.size());
  std::iota(task.fit.begin(), task.fit.end(), NodeIndex{0});
  const auto row = [&](NodeIndex node) {
    return static_cast<NodeIndex>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                  nodes.begin());
  };
  for (auto& fold : make_folds(data, nodes, num_folds, seed, Stream::kPropensityFolds)) {
    SelectionSplit split;
    for (const NodeIndex node : fold) split.score.push_back(row(node));
    std::sort(split.score.begin(), split.score.end());
    std::set_difference(task.fit.begin(), task.fit.end(), split.score.begin(), split.score.end(),
                        std::back_inserter(split.fit));
    task.selection.push_back(std::move(split));
  }
  return task;
}

}  // namespace

PropensityFit fit_fold_propensity(const Context& context, const Dataset& data,
                                  const Matrix<float>& z, std::span<const NodeIndex> nodes,
                                  int num_folds) {
  const std::vector<Arm> treatment = values_at(data.treatment, nodes);
  std::vector<std::size_t> arm_sizes(data.num_arms());
  for (const Arm arm : treatment) ++arm_sizes[arm];
  const std::size_t rarest = *std::min_element(arm_sizes.begin(), arm_sizes.end());
  if (rarest < 2) return constant_propensity(arm_sizes, z.cols());
  const FitTask task = row_indexed_task(
      data, nodes, static_cast<int>(std::min<std::size_t>(num_folds, rarest)), context.seed());
  // Standardised columns have variance 1 on the training nodes, about 1 on these.
  const auto total_variance = static_cast<double>(z.cols());
  return fit_propensities(context, as_features(z), treatment, data.num_arms(), total_variance,
                          {&task, 1})[0];
}

}  // namespace cone
