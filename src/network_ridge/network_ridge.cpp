#include "network_ridge/network_ridge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "network_ridge/dense_solver.hpp"
#include "network_ridge/iterative_solver.hpp"
#include "network_ridge/learn_arm.hpp"
#include "network_ridge/ridge_fit.hpp"
#include "network_ridge/small_matrices.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {
namespace {

/// Who a task may learn from: the ridge chooses nothing on the selection nodes, so it may fit on
/// them.
std::vector<char> mark_learning(const FitTask& task, const RidgeInputs& inputs) {
  std::vector<char> learns(inputs.num_nodes(), 0);
  for (const NodeIndex i : task.fit) learns[inputs.place_of[i]] = 1;
  for (const SelectionSplit& split : task.selection) {
    for (const NodeIndex i : split.score) learns[inputs.place_of[i]] = 1;
  }
  return learns;
}

/// Products of the fixed effects over the nodes of the arm that every task learns from.
std::vector<std::size_t> choose_fixed(const RidgeSystem& system, std::size_t arm) {
  const RidgeInputs& inputs = *system.inputs;
  constexpr std::size_t kAll = RidgeSystem::kNumFixed;
  std::vector<Matrix<double>> products(system.num_tasks(), Matrix<double>(kAll, kAll));
  for (std::size_t t = 0; t < system.num_tasks(); ++t) {
    for (std::size_t p = inputs.arm_begin[arm]; p < inputs.arm_begin[arm + 1]; ++p) {
      if (system.learns_from[t][p] == 0) continue;
      for (std::size_t r = 0; r < kAll; ++r) {
        for (std::size_t c = 0; c < kAll; ++c) {
          products[t](r, c) += system.fixed_effect(p, r) * system.fixed_effect(p, c);
        }
      }
    }
  }
  return choose_fixed(products);
}

std::vector<std::uint64_t> hash_ids(const Dataset& data, const RidgeInputs& inputs,
                                    std::span<const std::uint32_t> places) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(places.size());
  for (const std::uint32_t p : places) hashes.push_back(hash64(data.ids[inputs.node_at[p]]));
  return hashes;
}

/// The standard deviation of what the fixed effects leave of the outcomes by least squares: the
/// unit of the arm. Where the degree explains nearly all, the variances are still of a readable
/// size.
double spread_left(const RidgeSystem& system, const ArmModel& model,
                   std::span<const std::uint32_t> places, std::span<const double> outcome) {
  const std::vector<std::size_t>& kept = model.fixed_columns;
  SmallSystem small(kept.size());
  std::vector<double> slopes(kept.size(), 0.0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t r = 0; r < kept.size(); ++r) {
      const double effect = system.fixed_effect(places[i], kept[r]);
      slopes[r] += effect * (outcome[i] - model.mean);
      for (std::size_t c = 0; c < kept.size(); ++c) {
        small.matrix(r, c) += effect * system.fixed_effect(places[i], kept[c]);
      }
    }
  }
  if (!small.factorise()) return model.sd;
  small.solve(slopes);
  CompensatedSum squares;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double left = outcome[i] - model.mean;
    for (std::size_t r = 0; r < kept.size(); ++r) {
      left -= slopes[r] * system.fixed_effect(places[i], kept[r]);
    }
    squares.add(left * left);
  }
  const double sd = std::sqrt(squares.value() / static_cast<double>(places.size()));
  constexpr double kRounding = 1e-8;  // the fixed effects explain everything
  return sd > kRounding * model.sd ? sd : model.sd;
}

/// Mean and spread of the arm's outcomes, and the fixed effects it has.
ArmModel describe_arm(const Dataset& data, const RidgeSystem& system, std::size_t arm,
                      std::span<const std::uint32_t> places) {
  ArmModel model;
  std::vector<double> outcome;
  for (const std::uint32_t p : places) outcome.push_back(data.outcome[system.inputs->node_at[p]]);
  model.mean = mean(outcome);
  model.sd = std::sqrt(variance(outcome, 0));
  model.group_variances.assign(system.groups.size(), 0.0);
  model.noise = 1;
  model.fixed_columns = choose_fixed(system, arm);
  if (model.sd > 0) model.sd = spread_left(system, model, places, outcome);
  return model;
}

/// The spread of the outcomes of all arms, for an arm that has none of its own: the best guess of
/// how far they may vary. 1 where no outcome varies at all.
double pooled_spread(const Dataset& data, const RidgeSystem& system) {
  std::vector<double> outcome;
  for (std::size_t a = 0; a < system.inputs->num_arms(); ++a) {
    for (const std::uint32_t p : system.places_of_arm(a)) {
      outcome.push_back(data.outcome[system.inputs->node_at[p]]);
    }
  }
  const double sd = std::sqrt(variance(outcome, 0));
  return sd > 1e-12 * std::abs(mean(outcome)) ? sd : 1.0;
}

void learn_arm(const Context& context, const Dataset& data, const NetworkRidgeOptions& options,
               std::size_t most_nodes, std::size_t arm, RidgePart& part, DenseSolver* dense) {
  RidgeSystem& system = part.system;
  const RidgeInputs& inputs = *system.inputs;
  const std::vector<std::uint32_t> places = system.places_of_arm(arm);
  ArmModel& model = system.arms.emplace_back(describe_arm(data, system, arm, places));
  LearntVariances& learnt = part.learnt.emplace_back();
  // Outcomes that do not vary, or hardly any: there is nothing to learn, and the mean is it.
  const bool is_constant = !(model.sd > 1e-12 * (std::abs(model.mean) + 1e-300));
  const bool is_tiny = places.size() < RidgeSystem::kNumFixed + 3;
  if (is_constant) model.sd = pooled_spread(data, system);
  std::vector<std::uint32_t> chosen = places;
  const std::size_t count = choose_sample_size(places.size(), dense != nullptr, most_nodes);
  if (count < places.size()) {
    const std::vector<std::size_t> rows = order_by_hash(hash_ids(data, inputs, places));
    chosen.clear();
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(places[rows[k]]);
    std::sort(chosen.begin(), chosen.end());
  }
  if (!is_constant && !is_tiny) {
    std::vector<double> outcome;
    outcome.reserve(chosen.size());
    for (const std::uint32_t p : chosen) outcome.push_back(data.outcome[inputs.node_at[p]]);
    const LearntArm of_sample = learn_sampled_arm(context, system, options,
                                                  {.places = chosen,
                                                   .outcome = outcome,
                                                   .hash = hash_ids(data, inputs, chosen),
                                                   .is_part = chosen.size() < places.size()},
                                                  model);
    learnt = of_sample.learnt;
    if (dense != nullptr) dense->prepare_arm(context, arm, of_sample.kernels);
    return;
  }
  learnt.converged = true;
  learnt.num_nodes = places.size();
  if (dense != nullptr) {
    dense->prepare_arm(context, arm, make_kernels(context, inputs, system.groups, places));
  }
}

[[noreturn]] void refuse_known(const char* what) {
  throw Error(ErrorCode::kData,
              Fault{{.item = "network ridge"}, what, "fit the model again with cone fit"});
}

/// The same with variances that are known.
void adopt_arm(const Context& context, const RidgeVariances& known, std::size_t arm,
               RidgePart& part, DenseSolver* dense) {
  RidgeSystem& system = part.system;
  // Dependent ones would have no solution.
  if (known.arms[arm].fixed_columns != choose_fixed(system, arm)) {
    refuse_known("the model has other fixed effects than the data");
  }
  system.arms.push_back(known.arms[arm]);
  part.learnt.push_back(known.learnt[arm]);
  if (dense == nullptr) return;
  dense->prepare_arm(
      context, arm,
      make_kernels(context, *system.inputs, system.groups, system.places_of_arm(arm)));
}

void require_same_groups(const RidgeFit& known, std::span<const RidgeGroup> groups,
                         std::size_t num_arms, std::size_t num_parts) {
  const bool fits = std::ranges::equal(known.groups, groups, {}, {}, &RidgeGroup::kind);
  const bool is_whole = known.parts.size() == num_parts && known.arms.size() == num_arms;
  if (!fits || !is_whole) refuse_known("the model has other groups or arms than the data");
}

bool prefers_dense(const RidgeSystem& system, RidgeSolverChoice choice) {
  if (choice != RidgeSolverChoice::kAuto) return choice == RidgeSolverChoice::kDense;
  for (std::size_t a = 0; a < system.inputs->num_arms(); ++a) {
    if (system.places_of_arm(a).size() > kLargestDenseArm) return false;
  }
  return true;
}

}  // namespace

NetworkRidge learn_network_ridge(const Context& context, const Dataset& data, const FitPlan& plan,
                                 const NetworkRidgeOptions& options, const RidgeFit* known,
                                 std::size_t most_nodes) {
  validate(options);
  require_valid(plan, data.num_nodes());
  require_every_arm(data, plan);
  NetworkRidge out;
  auto inputs = std::make_shared<RidgeInputs>(
      prepare_inputs(context, data,
                     {.smooth = asks_for(options.ridge_groups, GroupKind::kOwnSmooth),
                      .curves = asks_for(options.ridge_groups, GroupKind::kOwnCurves)}));
  const std::vector<RidgeGroup> groups = list_groups(context, *inputs, options.ridge_groups);
  out.inputs = inputs;
  for (const FitTask& task : plan.tasks) {
    std::vector<std::uint32_t>& places = out.scored_places.emplace_back();
    for (const NodeIndex i : task.score) places.push_back(inputs->place_of[i]);
  }
  const bool once = options.ridge_variances == VarianceFits::kOnce;
  const std::size_t num_parts = once ? 1 : plan.tasks.size();
  if (known != nullptr) require_same_groups(*known, groups, inputs->num_arms(), num_parts);
  for (std::size_t k = 0; k < num_parts; ++k) {
    auto part = std::make_unique<RidgePart>();
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      if (once || t == k) part->tasks.push_back(t);
    }
    part->system.inputs = inputs;
    part->system.groups = groups;
    part->system.undersmoothing = options.undersmoothing;
    for (const std::size_t t : part->tasks) {
      part->system.learns_from.push_back(mark_learning(plan.tasks[t], *inputs));
    }
    part->is_dense = prefers_dense(part->system, options.ridge_solver);
    std::unique_ptr<DenseSolver> dense;
    if (part->is_dense) dense = std::make_unique<DenseSolver>(part->system);
    for (std::size_t arm = 0; arm < inputs->num_arms(); ++arm) {
      if (known != nullptr) {
        adopt_arm(context, known->parts[k], arm, *part, dense.get());
        continue;
      }
      const double whole = static_cast<double>(num_parts * inputs->num_arms());
      const auto before = static_cast<double>(k * inputs->num_arms() + arm);
      const double share = expect_progress(part->is_dense).learnt;
      const StageScope stage(context, fmt::format("variances of arm {}", data.arms[arm]),
                             share * before / whole, share * (before + 1) / whole);
      learn_arm(context, data, options, most_nodes, arm, *part, dense.get());
    }
    if (dense != nullptr) {
      part->solver = std::move(dense);
    } else {
      const RidgeProgress progress = expect_progress(part->is_dense);
      const double share = (progress.prepared - progress.learnt) / static_cast<double>(num_parts);
      const StageScope stage(context, "equations", progress.learnt + share * static_cast<double>(k),
                             progress.learnt + share * static_cast<double>(k + 1));
      part->solver = std::make_unique<IterativeSolver>(context, part->system);
    }
    out.parts.push_back(std::move(part));
  }
  return out;
}

RidgeSolution solve_outcomes(const Context& context, const RidgePart& part, const Dataset& data) {
  const RidgeSystem& system = part.system;
  const RidgeInputs& inputs = *system.inputs;
  const std::size_t width = system.num_tasks();
  Matrix<double> f(inputs.num_nodes(), width);
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
      const double outcome =
          (data.outcome[inputs.node_at[p]] - system.arms[a].mean) / system.arms[a].sd;
      for (std::size_t t = 0; t < width; ++t) {
        f(p, t) = system.learns_from[t][p] != 0 ? outcome : 0.0;
      }
    }
  }
  const Matrix<double> g(system.arms.size() * RidgeSystem::kNumFixed, width);
  std::vector<std::size_t> tasks(width);
  std::iota(tasks.begin(), tasks.end(), std::size_t{0});
  return part.solver->solve(context, f, g, tasks);
}

Matrix<double> predict_arm(const Context& context, const RidgePart& part,
                           const RidgeSolution& solution, std::size_t arm) {
  const RidgeSystem& system = part.system;
  const RidgeInputs& inputs = *system.inputs;
  const std::size_t width = solution.x.cols();
  Matrix<double> own(inputs.num_nodes(), width);
  for (std::size_t p = inputs.arm_begin[arm]; p < inputs.arm_begin[arm + 1]; ++p) {
    std::ranges::copy(solution.x.row(p), own.row(p).begin());
  }
  Matrix<double> out = multiply_kernel(context, system, arm, own);
  for (std::size_t p = 0; p < out.rows(); ++p) {
    for (std::size_t t = 0; t < width; ++t) {
      for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
        out(p, t) +=
            system.fixed_effect(p, c) * solution.lambda(arm * RidgeSystem::kNumFixed + c, t);
      }
      out(p, t) = system.arms[arm].mean + system.arms[arm].sd * out(p, t);
    }
  }
  return out;
}

}  // namespace cone
