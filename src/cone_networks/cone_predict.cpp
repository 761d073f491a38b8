#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "cone_networks/cone_fit.hpp"
#include "nn/train.hpp"
#include "nuisance/divergence.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"

namespace cone {
namespace {

void warn_of_training(const ConeFold& fold, std::size_t number,
                      std::vector<std::string>& warnings) {
  if (fold.training.status != TrainingStatus::kDiverged) return;
  warnings.push_back(
      fmt::format("the training of fold {} diverged at epoch {}; the weights of epoch {} are "
                  "used: try a smaller --learning-rate",
                  number, fold.training.epochs, fold.training.best_epoch));
}

void warn_of_propensity(const ConeFold& fold, std::size_t number,
                        std::vector<std::string>& warnings) {
  if (fold.propensity.converged) return;
  warnings.push_back(fmt::format("the propensity model of fold {} did not converge in {} steps",
                                 number, fold.propensity.iterations));
}

}  // namespace

Nuisances predict_cone(const Context& context, const Dataset& data, const FitPlan& plan,
                       std::span<const ConeFold> folds, const Matrix<float>& z,
                       AutoNumber propensity_bound) {
  OutcomeTable outcomes;
  outcomes.mu = Matrix<double>(plan.scored.size(), data.num_arms(), kNaN);
  Matrix<double> probability(plan.scored.size(), data.num_arms(), kNaN);
  std::vector<std::string> propensity_warnings;
  Nuisances out;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const ConeFold& fold = folds[t];
    const std::vector<std::size_t> rows = find_rows(plan.scored, plan.tasks[t].score);
    Matrix<float> fold_z = rows_of(z, rows);
    standardise(fold.z_units, fold_z);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      fold.propensity.probabilities(std::as_const(fold_z).row(k), probability.row(rows[k]));
    }
    warn_of_propensity(fold, t + 1, propensity_warnings);
    const DenseInput input(std::move(fold_z));
    const PlausibleRange range = plausible_range(data, plan.tasks[t].fit);
    warn_of_training(fold, t + 1, outcomes.warnings);
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      const Arm arm = static_cast<Arm>(a);
      const std::vector<double> mu = fold.outcomes[a].predict(context, input);
      for (std::size_t k = 0; k < rows.size(); ++k) outcomes.mu(rows[k], a) = mu[k];
      note_implausible(range, rows, arm, mu, outcomes);
      warn_of_divergence(fold.outcomes[a], t + 1, arm_adjective(data.arms, arm), outcomes.warnings);
    }
    out.trainings.push_back(fold.training);
  }
  bound_predictions(outcomes);
  out.outcome = std::move(outcomes);
  out.propensity =
      bound_propensities(std::move(probability), choose_propensity_bounds(data, propensity_bound));
  out.propensity->warnings = std::move(propensity_warnings);
  return out;
}

}  // namespace cone
