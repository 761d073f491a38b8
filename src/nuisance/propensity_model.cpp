#include "nuisance/propensity_model.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "nuisance/feature_scaling.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/propensity_fit.hpp"

namespace cone {

double bound_propensities(std::span<const NodeIndex> nodes, double bound,
                          std::vector<double>& probability) {
  std::size_t num_clipped = 0;
  for (const NodeIndex i : nodes) {
    const double bounded = std::clamp(probability[i], bound, 1 - bound);
    num_clipped += bounded != probability[i] ? 1 : 0;
    probability[i] = bounded;
  }
  return nodes.empty() ? 0 : static_cast<double>(num_clipped) / static_cast<double>(nodes.size());
}

PropensityPredictions predict_propensities(const Context& context, const Dataset& data,
                                           const FitPlan& plan, const NuisanceOptions& options) {
  validate(options);
  require_valid(plan, data.num_nodes());
  context.poll();
  require_both_arms(data, plan);
  context.poll();
  const ScaledFeatures features = scale_for_penalty(data.features, options.feature_scaling);
  const std::vector<PropensityFit> fits = fit_propensities(context, features.matrix, data.treatment,
                                                           features.total_variance, plan.tasks);

  PropensityPredictions out;
  out.probability.assign(data.num_nodes(), std::numeric_limits<double>::quiet_NaN());
  std::size_t num_weakest = 0;
  for (std::size_t t = 0; t < fits.size(); ++t) {
    context.poll();
    const LogisticFit& model = fits[t].model;
    for (const NodeIndex i : plan.tasks[t].score) {
      out.probability[i] = model.probability(features.matrix.row(i));
    }
    out.chosen_strengths.push_back(fits[t].strength);
    out.converged &= model.converged;
    if (!model.converged) {
      out.warnings.push_back(
          fmt::format("the propensity model of fold {} stopped short of its minimum after {} steps",
                      t + 1, model.iterations));
    }
    num_weakest += fits[t].has_weakest_penalty ? 1 : 0;
  }
  out.unbounded = out.probability;
  out.clipped_fraction = bound_propensities(plan.scored, options.propensity_bound, out.probability);
  if (num_weakest > 0) {
    out.warnings.push_back(fmt::format(
        "{} of {} folds chose the weakest penalty offered: the features all but decide the "
        "treatment, so the arms may hardly overlap",
        num_weakest, plan.tasks.size()));
  }
  return out;
}

}  // namespace cone
