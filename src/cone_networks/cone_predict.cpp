#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "cone_networks/combined_representation.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/fitted_plan.hpp"
#include "nuisance/divergence.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"

namespace cone {
namespace {

void warn_about(const ConeFold& fold, std::size_t number, OutcomeTable& outcomes) {
  if (fold.training.status != TrainingStatus::kDiverged) return;
  outcomes.warnings.push_back(
      fmt::format("the training of fold {} diverged at epoch {}; the weights are those of epoch "
                  "{}: try a smaller --learning-rate",
                  number, fold.training.epochs, fold.training.best_epoch));
}

}  // namespace

Nuisances predict_cone(const Context& context, const Dataset& data, const ConeFit& fit,
                       double propensity_bound) {
  const FitPlan plan = plan_of(context, data, fit);
  OutcomeTable outcomes;
  outcomes.mu = Matrix<double>(plan.scored.size(), data.num_arms(), kNaN);
  Matrix<double> probability(plan.scored.size(), data.num_arms(), kNaN);
  std::vector<std::string> warnings;  // of the propensities
  Nuisances out;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const ConeFold& fold = fit.folds[t];
    const std::vector<NodeIndex>& nodes = plan.tasks[t].score;
    const std::vector<std::size_t> rows = find_rows(plan.scored, nodes);
    Matrix<float> z = combined_rows(encode_nodes(context, data, fold.encoder), nodes);
    standardise(fold.z_units, z);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      fold.propensity.probabilities(std::as_const(z).row(k), probability.row(rows[k]));
    }
    const DenseInput input(std::move(z));
    const PlausibleRange range = plausible_range(data, plan.tasks[t].fit);
    warn_about(fold, t + 1, outcomes);
    for (const Arm arm : {Arm{0}, Arm{1}}) {
      const ArmNetwork& network = arm == 1 ? fold.treated : fold.control;
      const std::vector<double> mu = network.predict(context, input);
      for (std::size_t k = 0; k < nodes.size(); ++k) outcomes.mu(rows[k], arm) = mu[k];
      note_implausible(range, rows, arm, mu, outcomes);
      warn_of_divergence(network, t + 1, arm_adjective(data.arms, arm), outcomes.warnings);
    }
    if (!fold.propensity.converged) {
      warnings.push_back(fmt::format("the propensity model of fold {} did not converge in {} steps",
                                     t + 1, fold.propensity.iterations));
    }
    out.trainings.push_back(fold.training);
  }
  bound_predictions(outcomes);
  out.outcome = std::move(outcomes);
  out.propensity = bound_propensities(std::move(probability), propensity_bound);
  out.propensity->warnings = std::move(warnings);
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
