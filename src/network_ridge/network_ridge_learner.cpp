#include "network_ridge/network_ridge_learner.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/label_nodes.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/network_ridge_variance.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"

namespace cone {
namespace {

void require_fit_of(const RidgeFit& fit, const Context& context, const Dataset& data,
                    const NetworkRidgeOptions& options) {
  require(fit.seed == context.seed() && canonical_text(fit.options) == canonical_text(options),
          "network ridge: fitted with a different seed or options");
  if (fit.data_checksum == data.checksum()) return;
  throw Error(ErrorCode::kData, Fault{.what = "the model was fitted to other data",
                                      .advice = "fit a model to this data with cone fit"});
}

}  // namespace

ArmVariances describe_variances(const std::string& label, std::span<const GroupKind> groups,
                                const ArmModel& model) {
  ArmVariances arm;
  arm.arm = label;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    arm.groups.emplace_back(enum_name(groups[g]), model.group_variances[g]);
  }
  arm.noise = model.noise;
  arm.noise_growth = model.noise_growth;
  arm.num_nodes = model.num_nodes;
  arm.steps = model.steps;
  arm.converged = model.converged;
  return arm;
}

void summarise_part(const Dataset& data, const RidgePart& part, const RidgeSolution& solution,
                    NetworkRidgeSummary& out) {
  out.solver = enum_name(part.method);
  out.iterations += solution.iterations;
  out.converged = out.converged && solution.converged;
  std::vector<GroupKind> groups;
  for (const RidgeGroup& group : part.system.groups) groups.push_back(group.kind);
  for (std::size_t a = 0; a < part.system.arms.size(); ++a) {
    out.arms.push_back(describe_variances(data.arms[a], groups, part.system.arms[a]));
  }
}

void warn_of_missing_communities(const Dataset& data, const NetworkRidgeOptions& options,
                                 std::vector<std::string>& warnings) {
  if (data.num_edges() == 0 || can_label(data)) return;
  if (!asks_for(options.ridge_groups, GroupKind::kCommunities)) return;
  warnings.push_back(fmt::format(
      "no community effects: community detection runs on one rank and is limited to {} nodes and "
      "edge ends, and this network has {}. A confounder that follows communities remains",
      grouped(kMostLabelled), grouped(data.num_nodes_of_all() + 2 * data.num_edges())));
}

void add_ridge_warnings(const NetworkRidgeSummary& summary, std::vector<std::string>& warnings) {
  for (const ArmVariances& arm : summary.arms) {
    if (arm.converged) continue;
    warnings.push_back(fmt::format(
        "the variance components of arm {} did not converge after {} steps: the outcome model may "
        "shrink too much or too little; compare with --ridge-groups "
        "own,neighbour_sums,neighbour_effects",
        arm.arm, arm.steps));
  }
  if (!summary.converged) {
    warnings.push_back(fmt::format(
        "the iterative solver did not converge in {} iterations: take a larger --undersmoothing",
        summary.iterations));
  }
}

Nuisances NetworkRidgeLearner::fit(const Context& context, const Dataset& data,
                                   const FitPlan& plan) const {
  if (source_.known != nullptr) require_fit_of(*source_.known, context, data, options_);
  auto model =
      std::make_shared<NetworkRidge>(learn_network_ridge(context, data, plan, options_, source_));
  auto summary = std::make_shared<NetworkRidgeSummary>();
  summary->undersmoothing = options_.undersmoothing;
  OutcomeTable out;
  out.mu = Matrix<double>(plan.scored.size(), data.num_arms(), kNaN);
  const RidgeProgress progress = expect_progress(model->parts.front()->method);
  const StageScope stage(context, "predictions", progress.prepared, progress.predicted);
  for (const auto& part : model->parts) {
    const RidgeSolution solution = solve_outcomes(context, *part, data);
    summarise_part(data, *part, solution, *summary);
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      const Matrix<double> predicted = predict_arm(context, *part, solution, a);
      for (std::size_t t = 0; t < part->tasks.size(); ++t) {
        const FitTask& task = plan.tasks[part->tasks[t]];
        const std::vector<std::size_t> rows = find_rows(plan.scored, task.score);
        std::vector<double> mu(rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
          mu[k] = predicted(model->inputs->position_of[task.score[k]], t);
          out.mu(rows[k], a) = mu[k];
        }
        note_implausible(plausible_range(data, task.fit, context.comm()), rows, static_cast<Arm>(a),
                         mu, out);
      }
    }
  }
  add_ridge_warnings(*summary, out.warnings);
  warn_of_missing_communities(data, options_, out.warnings);
  out.network_ridge = summary;
  out.variance = std::make_shared<NetworkRidgeVariance>(std::move(model), data, plan, out.mu);
  out.is_penalised = true;
  Nuisances nuisances;
  nuisances.outcome = std::move(out);
  return nuisances;
}

}  // namespace cone
