#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cone_networks/combined_representation.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/fitted_plan.hpp"
#include "nuisance/divergence.hpp"
#include "nuisance/prediction_bounds.hpp"

namespace cone {
namespace {

constexpr double kNotScored = std::numeric_limits<double>::quiet_NaN();

void warn_about(const ConeFold& fold, std::size_t number, OutcomePredictions& outcomes) {
  if (fold.training.status != TrainingStatus::kDiverged) return;
  outcomes.warnings.push_back(
      fmt::format("the training of fold {} diverged at epoch {}; the weights are those of epoch "
                  "{}: try a smaller --learning-rate",
                  number, fold.training.epochs, fold.training.best_epoch));
}

}  // namespace

ConePredictions predict_cone(const Context& context, const Dataset& data, const ConeFit& fit,
                             double propensity_bound) {
  FitPlan plan = plan_of(context, data, fit);
  ConePredictions out;
  std::vector<double>& probability = out.propensities.probability;
  for (auto* values : {&out.outcomes.mu0, &out.outcomes.mu1, &probability}) {
    values->assign(data.num_nodes(), kNotScored);
  }
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const ConeFold& fold = fit.folds[t];
    const std::vector<NodeIndex>& nodes = plan.tasks[t].score;
    Matrix<float> z = combined_rows(encode_nodes(context, data, fold.encoder), nodes);
    standardise(fold.z_units, z);
    std::vector<double> propensity(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      propensity[k] = fold.propensity.probability(std::as_const(z).row(k));
    }
    const DenseInput input(std::move(z));
    const std::vector<double> mu0 = fold.control.predict(context, input);
    const std::vector<double> mu1 = fold.treated.predict(context, input);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      out.outcomes.mu0[nodes[k]] = mu0[k];
      out.outcomes.mu1[nodes[k]] = mu1[k];
      probability[nodes[k]] = propensity[k];
    }
    const PlausibleRange range = plausible_range(data, plan.tasks[t].fit);
    note_implausible(range, nodes, 0, mu0, out.outcomes);
    note_implausible(range, nodes, 1, mu1, out.outcomes);
    out.propensities.converged &= fold.propensity.converged;
    if (!fold.propensity.converged) {
      out.propensities.warnings.push_back(
          fmt::format("the propensity model of fold {} stopped short of its minimum after {} steps",
                      t + 1, fold.propensity.iterations));
    }
    warn_about(fold, t + 1, out.outcomes);
    warn_of_divergence(fold.control, t + 1, 0, out.outcomes.warnings);
    warn_of_divergence(fold.treated, t + 1, 1, out.outcomes.warnings);
  }
  bound_predictions(out.outcomes);
  out.propensities.unbounded = probability;
  out.propensities.clipped_fraction =
      bound_propensities(plan.scored, propensity_bound, probability);
  out.scored = std::move(plan.scored);
  return out;
}

Matrix<float> representations(const Context& context, const Dataset& data, const ConeFit& fit) {
  const FitPlan plan = plan_of(context, data, fit);
  Matrix<float> all;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const std::vector<NodeIndex>& nodes = plan.tasks[t].score;
    const Matrix<float> z = combined_rows(encode_nodes(context, data, fit.folds[t].encoder), nodes);
    if (t == 0) all = Matrix<float>(data.num_nodes(), z.cols());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      std::copy(z.row(k).begin(), z.row(k).end(), all.row(nodes[k]).begin());
    }
  }
  return all;
}

}  // namespace cone
