#include "study/tune.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"
#include "nn/train.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

UnitIdentity identity_of(const ConeOptions& point, std::size_t fold, const PlanOptions& plan,
                         std::uint64_t seed, const std::string& data_checksum) {
  Json options = option_json(plan);
  options["fold"] = fold;
  options.update(option_json(point));
  return {
      .kind = "tune", .options = std::move(options), .seed = seed, .data_checksum = data_checksum};
}

/// Fits one point on one fold and returns its scores. Throws Error where training diverges.
Json fold_scores(const Context& context, const Dataset& data, const FitTask& task,
                 const ConeOptions& point, int selection_folds) {
  const FitPlan plan{.tasks = {task}, .scored = task.score};
  const FoldTraining training =
      fit_cone_folds(context, data, plan, point, selection_folds).folds.front().training;
  if (training.status == TrainingStatus::kDiverged || !std::isfinite(training.arm_network_mse) ||
      !std::isfinite(training.propensity_loss)) {
    throw Error(ErrorCode::kData, {{}, "training diverged", "try a smaller learning rate"});
  }
  return {{"outcome_error", training.arm_network_mse},
          {"propensity_loss", training.propensity_loss},
          {"status", std::string(enum_name(training.status))},
          {"epochs", training.epochs},
          {"best_epoch", training.best_epoch}};
}

/// Whether a stored result has the scores that summarise() reads.
bool are_fold_scores(const Json& result) {
  const auto has_number = [&](const char* name) {
    const auto found = result.find(name);
    return found != result.end() && found->is_number();
  };
  return result.is_object() && has_number("outcome_error") && has_number("propensity_loss");
}

/// Averages over the folds, whose records are consecutive.
TunedPoint summarise(const ConeOptions& point, std::span<const UnitRecord> folds) {
  TunedPoint tuned{.options = point};
  const auto count = static_cast<double>(folds.size());
  for (const UnitRecord& record : folds) {
    if (record.status == UnitStatus::kFailed) {
      tuned.failure = record.error;
      return tuned;
    }
    tuned.outcome_error += record.result.at("outcome_error").get<double>() / count;
    tuned.propensity_loss += record.result.at("propensity_loss").get<double>() / count;
  }
  tuned.score = tuned.outcome_error + tuned.propensity_loss;
  return tuned;
}

void require_a_success(const Tuning& tuning) {
  const TunedPoint& best = tuning.ranked.front();
  if (best.failure.empty()) return;
  throw Error(ErrorCode::kData,
              {{},
               fmt::format("every point of the grid failed; the first: {}", best.failure),
               "try other values, or --retry-failed to recompute these"});
}

}  // namespace

std::vector<GridAxis> default_tuning_grid() {
  // Depth, dropout, the weight of the treatment loss and the step size: the options that matter
  // most. Sixteen fits keep the default affordable.
  return {{"layers", {"1", "2"}},
          {"gamma", {"0.1", "1"}},
          {"learning_rate", {"0.005", "0.01"}},
          {"dropout", {"0", "0.4"}}};
}

void TuneOptions::check(std::vector<Fault>& faults) const {
  const int num_tasks = plan.protocol == Protocol::kSplit ? 1 : plan.folds;
  if (tune_folds > num_tasks) {
    faults.push_back({{.item = "--tune-folds"},
                      fmt::format("is {}, but there are only {} folds", tune_folds, num_tasks),
                      "lower it"});
  }
  plan.check(faults);
}

Tuning tune(const Context& context, const Dataset& data, std::span<const ConeOptions> grid,
            const TuneOptions& options, const UnitWork& work) {
  validate(options);
  require(!grid.empty(), "tune: an empty grid");
  if (!data.has_log()) {
    throw Error(ErrorCode::kData,
                {{},
                 "the data is a network without treatments and outcomes",
                 "add treatments and outcomes, or simulate them with cone simulate"});
  }
  Tuning tuning{.seed = context.seed(), .data_checksum = data.checksum(), .options = options};
  const FitPlan plan = make_plan(context, data, options.plan, context.seed());
  const auto num_folds = static_cast<std::size_t>(options.tune_folds);
  std::vector<Unit> units;
  for (const ConeOptions& point : grid) {
    validate(point);
    for (std::size_t fold = 0; fold < num_folds; ++fold) {
      Unit unit{.identity =
                    identity_of(point, fold, options.plan, tuning.seed, tuning.data_checksum)};
      unit.run = [&data, &plan, &options, point, fold](const Context& unit_context) {
        return fold_scores(unit_context, data, plan.tasks[fold], point,
                           options.plan.selection_folds);
      };
      unit.accepts = are_fold_scores;
      units.push_back(std::move(unit));
    }
  }
  tuning.units = run_units(context, work, units, "tuning");
  for (std::size_t p = 0; p < grid.size(); ++p) {
    tuning.ranked.push_back(
        summarise(grid[p], std::span(tuning.units.records).subspan(p * num_folds, num_folds)));
  }
  std::stable_sort(tuning.ranked.begin(), tuning.ranked.end(),
                   [](const TunedPoint& a, const TunedPoint& b) {
                     if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
                     return a.failure.empty() && a.score < b.score;
                   });
  require_a_success(tuning);
  return tuning;
}

}  // namespace cone
