#include "evaluate/row_notes.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "estimate/diagnose.hpp"
#include "exec/statistics.hpp"
#include "nn/train.hpp"

namespace cone {
namespace {

void add_caution(std::string why, Estimate& value) {
  value.warnings.push_back(std::move(why));
  if (value.status == EstimateStatus::kOk) value.status = EstimateStatus::kCaution;
}

/// A diverged training keeps its best weights, which may be the initial ones.
void note_diverged_folds(std::span<const FoldTraining> trainings, Estimate& value) {
  const auto count = std::count_if(trainings.begin(), trainings.end(), [](const FoldTraining& t) {
    return t.status == TrainingStatus::kDiverged;
  });
  if (count == 0) return;
  const bool is_all = static_cast<std::size_t>(count) == trainings.size();
  add_caution(
      fmt::format("the training of {} of {} folds diverged{}: try a smaller --learning-rate", count,
                  trainings.size(), is_all ? ", so no interval is valid" : ""),
      value);
  if (is_all) drop_interval(value);
}

/// Squared residuals of the logged outcomes, one per node of the sample.
std::vector<double> squared_errors(const LoggedSample& sample, const OutcomeTable& table) {
  std::vector<double> squares = residuals(sample.arm, sample.outcome, table.mu.view());
  for (double& r : squares) r *= r;
  return squares;
}

/// An estimator named after a fitted model says where the model is a given one.
void note_given_nuisances(const Catalogue& catalogue, const EstimatorInfo& row,
                          std::span<const std::string> arms, Estimate& value) {
  const EstimatorInfo& named = *catalogue.find_estimator(row.name);
  const bool named_after_model =
      row.method == Method::kDirect || row.method == Method::kDoublyRobust;
  if (named_after_model && row.outcome == LearnerId::kGiven && named.outcome != row.outcome) {
    add_caution(fmt::format("the outcome model is the given {}: none was fitted",
                            outcome_model_columns(arms)),
                value);
  }
  const bool named_after_propensities = named.weights == LearnerId::kCone ||
                                        named.weights == LearnerId::kSpectral ||
                                        catalogue.is_added(named.weights);
  if (row.weights == LearnerId::kGiven && named_after_propensities) {
    add_caution("the propensities are the given ones: none were fitted", value);
  }
}

/// A warning where a regression on features predicts logged outcomes significantly better than the
/// model; empty where none does.
std::string describe_better_regression(const LoggedSample& sample, const LearntNuisances& learnt,
                                       const OutcomeTable& model, LearnerId learner) {
  constexpr double kSignificant = 3;         // standard errors
  constexpr double kShareThatShows = 0.005;  // of the outcome variance: R² is shown with two digits
  const Communicator& comm = *sample.comm;
  const auto mean_of = [&](const std::vector<double>& values) { return mean(values, comm); };
  const double spread = variance(sample.outcome, 0, comm);
  const std::vector<double> own = squared_errors(sample, model);
  for (const LearnerId regression : {LearnerId::kRidge, LearnerId::kOls2, LearnerId::kOls1}) {
    const auto found = learnt.parts().find(regression);
    if (found == learnt.parts().end() || !found->second.outcome) continue;
    const std::vector<double> other = squared_errors(sample, *found->second.outcome);
    std::vector<double> excess(own.size());
    for (std::size_t i = 0; i < excess.size(); ++i) excess[i] = own[i] - other[i];
    if (!(mean_of(excess) > kSignificant * standard_error(excess, comm))) continue;
    if (!(mean_of(excess) > kShareThatShows * spread))
      continue;  // tiny differences are significant without noise
    return sentence(
        "{} outcomes worse than {} does (R² {:.2f} against {:.2f}): adjustment for the "
        "features may be incomplete; compare with {}",
        learner == LearnerId::kCone ? "its networks predict" : "it predicts", regression.name(),
        1 - mean_of(own) / spread, 1 - mean_of(other) / spread, doubly_robust_on(regression));
  }
  return "";
}

}  // namespace

void note_smoothing(Estimate& value) {
  if (!value.is_oversmoothed()) return;
  add_caution(
      sentence("estimated smoothing bias {:+.3g} (± {:.2g}) exceeds the standard error: too many "
               "effects for the data; the interval is extended by the bias, and may "
               "still be too narrow",
               value.bias(), value.smoothing_bias->standard_error),
      value);
}

void note_missing_joint_model(Estimate& value) {
  add_caution(
      "equals network_dm: the joint model is not fitted where treatment is declared random, "
      "propensities are given, only part of the nodes is evaluated, or --no-joint-model is given",
      value);
}

void note_learning(const Catalogue& catalogue, const EstimatorInfo& row, const Evidence& evidence,
                   const LearntNuisances& learnt, Estimate& value) {
  if (row.needs(LearnerId::kCone)) {
    note_diverged_folds(learnt.trainings(), value);
  } else if (evidence.outcome != nullptr && !evidence.outcome->warnings.empty()) {
    add_caution("the outcome model has its own warnings, listed below", value);
  }
  note_given_nuisances(catalogue, row, evidence.sample.arms, value);
}

void note_better_regressions(const Catalogue& catalogue, const LoggedSample& sample,
                             const LearntNuisances& learnt, std::vector<PolicyResult>& results) {
  std::vector<LearnerId> learners = {LearnerId::kCone, LearnerId::kNetworkRidge};
  for (const auto& added : catalogue.added()) learners.emplace_back(added->name);
  for (const LearnerId learner : learners) {
    const auto found = learnt.parts().find(learner);
    if (found == learnt.parts().end() || !found->second.outcome) continue;
    const std::string warning =
        describe_better_regression(sample, learnt, *found->second.outcome, learner);
    if (warning.empty()) continue;
    for (PolicyResult& result : results) {
      for (Estimate& value : result.estimates) {
        if (catalogue.find_estimator(value.estimator)->outcome == learner)
          add_caution(warning, value);
      }
    }
  }
}

std::string describe_idle_columns(std::span<const std::string> arms, bool has_propensity,
                                  bool has_mu) {
  const std::string propensity = propensity_columns(arms);
  const std::string mu = outcome_model_columns(arms);
  const std::string columns = !has_mu           ? propensity + " was"
                              : !has_propensity ? mu + " were"
                                                : propensity + ", " + mu + " were";
  return fmt::format("the data's own {} not used: --nuisances given uses them instead of fitting",
                     columns);
}

namespace {

/// A note of the default estimators that were left out; none where all ran.
std::vector<std::string> note_left_out(const Dataset& data, const EvaluateOptions& options) {
  const bool own_model = options.nuisances == NuisanceSource::kGiven && data.mu.has_value();
  const char* why = why_without_networks(data);
  if (!options.estimators.empty() || own_model || why == nullptr) return {};
  std::vector<std::string_view> left_out;
  for (const std::string_view name : default_estimators(own_model)) {
    if (!runs_by_default(data, *find_estimator(name))) left_out.push_back(name);
  }
  const std::string what =
      fmt::format("{} were left out, as {}", fmt::join(left_out, " and "), why);
  if (data.distributed) return {what};
  return {fmt::format("{}: --estimators {} runs them", what, fmt::join(left_out, ","))};
}

/// A note of requested names that choose_rows() merged into another estimator.
std::vector<std::string> note_renamed(const EvaluateOptions& options,
                                      std::span<const EstimatorInfo> rows) {
  std::vector<std::string> renamed;
  for (const std::string& name : options.estimators) {
    if (std::ranges::find(rows, name, &EstimatorInfo::name) == rows.end()) renamed.push_back(name);
  }
  if (renamed.empty()) return {};
  return {fmt::format(
      "with the given outcome model (mu0, mu1) {} the same as dm or dr",
      renamed.size() == 1 ? renamed[0] + " is" : fmt::format("{} are", fmt::join(renamed, ", ")))};
}

}  // namespace

std::vector<std::string> note_choices(const Dataset& data, const EvaluateOptions& options,
                                      std::span<const EstimatorInfo> rows) {
  std::vector<std::string> notes = note_left_out(data, options);
  std::ranges::move(note_renamed(options, rows), std::back_inserter(notes));
  return notes;
}

}  // namespace cone
