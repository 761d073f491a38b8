#include "cone/evaluate.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "data/memory_fault.hpp"
#include "diagnostics/residuals.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/diagnostics.hpp"
#include "evaluate/estimate_policies.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/learn.hpp"
#include "evaluate/node_table.hpp"
#include "evaluate/plan.hpp"
#include "evaluate/repeats.hpp"
#include "evaluate/run_config.hpp"
#include "evaluate/trace_budgets.hpp"

namespace cone {
namespace {

void require_log(const Dataset& data) {
  if (data.has_log()) return;
  throw Error(ErrorCode::kData,
              {{},
               "the data is a network without treatments and outcomes",
               "add treatments and outcomes, or simulate them with cone simulate"});
}

/// Outputs that belong to a single fit do not exist for medians over several.
void refuse_beside_repeats(const FittedModel* model, const NodeTable* nodes, const Model* trained) {
  std::vector<Fault> faults;
  const auto refuse = [&](const char* what) {
    faults.push_back({{.item = "--repeats"},
                      fmt::format("cannot be used with {}, which belongs to a single seed", what),
                      "leave one of them out"});
  };
  if (model != nullptr) refuse("a fitted model");
  if (nodes != nullptr) refuse("--nodes");
  if (trained != nullptr) refuse("--attention and --embeddings");
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

}  // namespace

bool uses_cone(const Dataset& data, const EvaluateOptions& options) {
  const std::vector<EstimatorInfo> rows = choose_rows(data, options);
  return std::any_of(rows.begin(), rows.end(),
                     [](const EstimatorInfo& row) { return row.needs(LearnerId::kCone); });
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EvaluateOptions& options, const FittedModel* model,
                                         std::size_t num_policies) {
  validate(options);
  require_log(data);
  std::vector<ExpectedCost> costs = list_stages(
      context, data,
      plan_learning(context, data, choose_rows(data, options), options, model, num_policies),
      options);
  for (ExpectedCost& cost : costs) cost.seconds *= options.repeats;
  return costs;
}

namespace {

/// Seconds by part of a run.
using Timing = std::map<std::string, double>;

template <class Work>
auto time_part(const char* part, Timing& timing, const Work& work) {
  const Stopwatch watch;
  auto out = work();
  timing[part] += watch.seconds();
  return out;
}

EvaluationRecord evaluate_all(const Context& context, const LoadedData& data,
                              std::span<const PolicyOnData> policies,
                              const EvaluateOptions& options, const FittedModel* model,
                              NodeTable* nodes, Model* trained) {
  validate(options);
  require_log(data.observed);
  require(!policies.empty(), "evaluate: no policy");
  if (options.repeats > 1) refuse_beside_repeats(model, nodes, trained);
  const EvaluationPlan plan = plan_evaluation(context, data.observed, policies, options, model);
  Timing timing;
  Learnt learnt = time_part("nuisances", timing, [&] {
    std::optional<StageScope> stage;
    if (options.repeats > 1) {
      stage.emplace(context, fmt::format("repeat 1 of {}", options.repeats), 0,
                    1.0 / options.repeats);
    }
    FittedModel fitted;
    Learnt out =
        learn(context, data.observed, plan, options, model, trained != nullptr ? &fitted : nullptr);
    if (fitted.networks && !fitted.networks->folds.empty()) {
      *trained = std::make_shared<const FittedModel>(std::move(fitted));
    }
    return out;
  });
  // What was learnt before an interruption is estimated.
  std::vector<PolicyResult> results = time_part("estimates", timing, [&] {
    return estimate_policies(learnt.is_complete ? context : context.with_observer(nullptr), data,
                             policies, plan, learnt, options);
  });
  if (learnt.ready.empty()) throw Cancelled();
  bool is_interrupted = !learnt.is_complete;
  int repeats = 1;
  if (options.repeats > 1 && !is_interrupted) {
    repeats = time_part("repeats", timing, [&] {
      return repeat_and_take_medians(context, data, policies, options, plan.sample, results);
    });
    is_interrupted = repeats < options.repeats;
  }
  // Finished results are kept when the user interrupts.
  const auto unless_stopped = [&](const char* part, auto& out, const auto& work) {
    try {
      out = time_part(part, timing, work);
    } catch (const Cancelled&) {
      if (data.observed.comm().has_others()) throw;
      is_interrupted = true;
    }
  };
  std::optional<Decision> decision;
  unless_stopped("decision", decision,
                 [&] { return decide(context, data, plan, learnt, options, results); });
  std::vector<BudgetCurve> curves;
  if (!plan.rankings.empty()) {
    unless_stopped("budget_curves", curves,
                   [&] { return trace_budgets(context, data, plan, learnt, options); });
  }
  if (nodes != nullptr) *nodes = describe_nodes(plan, learnt, options.estimator, results);
  std::optional<AssociationDiagnostics> association;
  if (decision) {
    const ModelNoise* noise = learnt.noise_of(plan.row_called(decision->estimator));
    unless_stopped("association", association, [&] {
      return noise != nullptr && learnt.kernels
                 ? associate_residuals(context, *learnt.kernels, *noise)
                 : std::nullopt;
    });
  }
  Diagnostics diagnostics = time_part("diagnostics", timing, [&] {
    return diagnose(context, data, policies, plan, learnt, options, results,
                    decision ? &*decision : nullptr, association);
  });
  if (learnt.is_complete && repeats < options.repeats) {
    diagnostics.warnings.push_back(
        fmt::format("interrupted: medians are over {} of {} repeats", repeats, options.repeats));
  }
  std::vector<std::string> unfinished;
  for (const EstimatorInfo& row : plan.rows) {
    if (!learnt.is_ready(row.name)) unfinished.emplace_back(row.name);
  }
  return {.version = std::string(kVersion),
          .revision = std::string(source_revision()),
          .commit = std::string(build_commit()),
          .config = describe_config(context, data.observed, options, plan.rows, policies),
          .data = summarise(data.observed),
          .status = is_interrupted ? "interrupted" : "completed",
          .unfinished = std::move(unfinished),
          .repeats = repeats,
          .policies = std::move(results),
          .decision = std::move(decision),
          .budget_curves = std::move(curves),
          .diagnostics = std::move(diagnostics),
          .notes = plan.notes,
          .timing_seconds = std::move(timing)};
}

}  // namespace

EvaluationRecord evaluate(const Context& context, const LoadedData& data,
                          std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                          const FittedModel* model, NodeTable* nodes, Model* trained) {
  const Dataset& observed = data.observed;
  try {
    return evaluate_all(observed.distributed ? context.shared_by(observed.comm()) : context, data,
                        policies, options, model, nodes, trained);
  } catch (const std::bad_alloc&) {
    if (observed.comm().has_others()) throw;  // they wait for this rank
    throw Error(ErrorCode::kIo, name_largest_table(context, data.observed, policies.size()));
  }
}

}  // namespace cone
