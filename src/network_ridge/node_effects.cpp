#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cone/effects.hpp"
#include "cone/error.hpp"

#include "data/gather_rows.hpp"
#include "network_ridge/calibrate_effects.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/posterior_variance.hpp"
#include "network_ridge/ridge_cost.hpp"
#include "network_ridge/treatment_ridge.hpp"

namespace cone {
namespace {

/// Predicted outcomes of the nodes that a part scores, and their decomposition into groups.
void predict_parts(const Context& context, const NetworkRidge& model, const RidgePart& part,
                   const RidgeSolution& solution, NodeEffects& out) {
  const RidgeInputs& inputs = *model.inputs;
  const std::size_t num_parts = out.part_names.size();
  for (std::size_t a = 0; a < part.system.arms.size(); ++a) {
    const ArmModel& arm = part.system.arms[a];
    const auto for_each_scored = [&](const auto& visit) {
      for (std::size_t t = 0; t < part.tasks.size(); ++t) {
        for (const std::uint32_t p : model.scored_positions[part.tasks[t]]) {
          visit(inputs.node_at[p], p, t);
        }
      }
    };
    const Matrix<double> predicted = predict_arm(context, part, solution, a);
    for_each_scored([&](NodeIndex i, std::uint32_t p, std::size_t t) {
      out.mu(i, a) = predicted(p, t);
      double fixed = 0;
      for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
        fixed +=
            part.system.fixed_effect(p, c) * solution.lambda(a * RidgeSystem::kNumFixed + c, t);
      }
      out.parts(i, a * num_parts) = arm.mean + arm.sd * fixed;
    });
    const Matrix<double> own = take_arm_rows(inputs, solution.x, a);
    RidgeSystem only{.inputs = part.system.inputs, .groups = part.system.groups};
    only.arms.resize(a + 1);
    for (std::size_t g = 0; g < only.groups.size(); ++g) {
      if (arm.group_variances[g] == 0) continue;
      only.arms[a].group_variances.assign(only.groups.size(), 0.0);
      only.arms[a].group_variances[g] = arm.group_variances[g];
      const Matrix<double> reached = multiply_kernel(context, only, a, own);
      for_each_scored([&](NodeIndex i, std::uint32_t p, std::size_t t) {
        out.parts(i, a * num_parts + 1 + g) = arm.sd * reached(p, t);
      });
    }
  }
}

/// Standard deviations of predicted outcomes from variances in units of each arm's sd².
void adopt_deviations(const NetworkRidge& model, const RidgePart& part,
                      const Matrix<double>& variance, NodeEffects& out) {
  for (const std::size_t task : part.tasks) {
    for (const std::uint32_t p : model.scored_positions[task]) {
      for (std::size_t a = 0; a < part.system.arms.size(); ++a) {
        out.mu_sd(model.inputs->node_at[p], a) = part.system.arms[a].sd * std::sqrt(variance(p, a));
      }
    }
  }
}

void compare_with_control(NodeEffects& effects) {
  const std::size_t n = effects.mu.rows();
  const std::size_t num_others = effects.mu.cols() - 1;
  effects.effect = Matrix<double>(n, num_others);
  effects.effect_sd = Matrix<double>(n, num_others);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < num_others; ++k) {
      effects.effect(i, k) = effects.mu(i, k + 1) - effects.mu(i, kControlArm);
      effects.effect_sd(i, k) = std::hypot(effects.mu_sd(i, k + 1), effects.mu_sd(i, kControlArm));
    }
  }
}

/// The variances depend neither on the undersmoothing nor on the solver.
void require_variances_for(const RidgeFit& known, const Context& context, const Dataset& data,
                           const EffectOptions& options) {
  NetworkRidgeOptions learnt = known.options;
  learnt.undersmoothing = options.network_ridge.undersmoothing;
  learnt.ridge_solver = options.network_ridge.ridge_solver;
  require(known.plan.protocol == Protocol::kCrossFit && known.plan.folds == options.folds &&
              known.seed == context.seed() &&
              canonical_text(learnt) == canonical_text(options.network_ridge),
          "effects: the network ridge was fitted with a different plan, seed or options");
  if (known.data_checksum == data.checksum()) return;
  throw Error(ErrorCode::kData, Fault{.what = "the model was fitted to other data",
                                      .advice = "fit a model to this data with cone fit"});
}

}  // namespace

std::vector<ExpectedCost> expected_effect_costs(const Context& context, const Dataset& data,
                                                const EffectOptions& options,
                                                const RidgeFit* known) {
  const FitSize size = measure_size(context, data, {.folds = options.folds});
  const RidgeCost ridge =
      expect_ridge_cost(size, options.network_ridge, {.knows_variances = known != nullptr});
  return {
      {"network ridge", ridge.variances + ridge.equations},
      {"predictions", ridge.predictions},
      {"standard deviations", effect_deviation_seconds(size, options.network_ridge, options.draws)},
      {"treatment model",
       options.effect_shrinkage == EffectShrinkage::kNone
           ? 0
           : treatment_ridge_seconds(size, options.network_ridge, /*sees_network=*/true)}};
}

NodeEffects estimate_effects(const Context& context, const Dataset& data,
                             const EffectOptions& options) {
  return estimate_effects(context, data, options, nullptr);
}

NodeEffects estimate_effects(const Context& context, const Dataset& data,
                             const EffectOptions& options, const RidgeFit* known) {
  validate(options);
  if (known != nullptr) require_variances_for(*known, context, data, options);
  if (!data.has_log()) {
    throw Error(ErrorCode::kData,
                {{},
                 "the data is a network without treatments and outcomes",
                 "add treatments and outcomes, or simulate them with cone simulate"});
  }
  const FitPlan plan = make_plan(context, data, {.folds = options.folds}, context.seed());
  const std::vector<ExpectedCost> costs = expected_effect_costs(context, data, options, known);
  const StageList stages(context,
                         {costs[0], {"effects", costs[1].seconds + costs[2].seconds}, costs[3]});
  NetworkRidge model;
  {
    const StageScope stage = stages.enter(0);
    model = learn_network_ridge(context, data, plan, options.network_ridge, {.known = known});
  }
  const std::size_t n = data.num_nodes();
  NodeEffects out;
  out.part_names = {"fixed"};
  for (const RidgeGroup& group : model.parts.front()->system.groups) {
    out.part_names.emplace_back(enum_name(group.kind));
  }
  out.mu = Matrix<double>(n, data.num_arms());
  out.mu_sd = Matrix<double>(n, data.num_arms());
  out.parts = Matrix<double>(n, data.num_arms() * out.part_names.size());
  out.ridge.undersmoothing = options.network_ridge.undersmoothing;
  for (std::size_t k = 0; k < model.parts.size(); ++k) {
    const RidgePart& part = *model.parts[k];
    const StageScope stage = stages.enter_part(1, k, model.parts.size());
    const StageList part_stages(context, {costs[1], costs[2]});
    {
      const StageScope predictions = part_stages.enter(0);
      const RidgeSolution solution = solve_outcomes(context, part, data);
      summarise_part(data, part, solution, out.ridge);
      predict_parts(context, model, part, solution, out);
    }
    const StageScope deviations = part_stages.enter(1);
    Matrix<double> variance(n, data.num_arms());
    if (part.method != RidgeMethod::kIterative) {
      find_variances(context, model, part, variance);
    } else {
      out.draws = options.draws;
      draw_variances(context, model, part, options.draws, variance);
    }
    adopt_deviations(model, part, variance, out);
  }
  compare_with_control(out);
  if (options.effect_shrinkage != EffectShrinkage::kNone) {
    const StageScope stage = stages.enter(2);
    out.propensity =
        predict_treatment(context, data, plan, options.network_ridge, /*sees_network=*/true);
    out.calibration = calibrate_effects(data, plan, out.mu, out.propensity);
    shrink_effects(out.calibration, data, out);
  }
  add_ridge_warnings(out.ridge, out.warnings);
  warn_of_missing_communities(data, options.network_ridge, out.warnings);
  return out;
}

NodeEffects gather_effects(const Dataset& data, NodeEffects own) {
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  for (Matrix<double>* table :
       {&own.mu, &own.mu_sd, &own.effect, &own.effect_sd, &own.propensity, &own.parts}) {
    *table = gather_rows(data, nodes, std::move(*table));
  }
  return own;
}

}  // namespace cone
