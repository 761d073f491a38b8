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
#include "network_ridge/exponential_feature.hpp"
#include "network_ridge/iterative_solver.hpp"
#include "network_ridge/learn_arm.hpp"
#include "network_ridge/low_rank_solver.hpp"
#include "network_ridge/ridge_fit.hpp"
#include "network_ridge/small_matrices.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {
namespace {

/// The positions that a task may learn from. They include the selection nodes: the ridge selects
/// nothing on them, so it may fit on them.
std::vector<char> mark_learning(const FitTask& task, const RidgeInputs& inputs) {
  std::vector<char> learns(inputs.num_nodes(), 0);
  for (const NodeIndex i : task.fit) learns[inputs.position_of[i]] = 1;
  for (const SelectionSplit& split : task.selection) {
    for (const NodeIndex i : split.score) learns[inputs.position_of[i]] = 1;
  }
  return learns;
}

/// choose_fixed() from the Gram matrices of the fixed effects over the nodes of the arm that each
/// task learns from.
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
                                    std::span<const std::uint32_t> positions) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(positions.size());
  for (const std::uint32_t p : positions) hashes.push_back(hash64(data.ids[inputs.node_at[p]]));
  return hashes;
}

/// The residual standard deviation of the outcomes after least squares on the fixed effects: the
/// unit of the arm, so that variances have a readable size where the degree explains nearly
/// everything.
double residual_sd(const RidgeSystem& system, const ArmModel& model,
                   std::span<const std::uint32_t> positions, std::span<const double> outcome) {
  const std::vector<std::size_t>& kept = model.fixed_columns;
  SmallSystem small(kept.size());
  std::vector<double> slopes(kept.size(), 0.0);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t r = 0; r < kept.size(); ++r) {
      const double effect = system.fixed_effect(positions[i], kept[r]);
      slopes[r] += effect * (outcome[i] - model.mean);
      for (std::size_t c = 0; c < kept.size(); ++c) {
        small.matrix(r, c) += effect * system.fixed_effect(positions[i], kept[c]);
      }
    }
  }
  if (!small.factorise()) return model.sd;
  small.solve(slopes);
  CompensatedSum squares;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    double residual = outcome[i] - model.mean;
    for (std::size_t r = 0; r < kept.size(); ++r) {
      residual -= slopes[r] * system.fixed_effect(positions[i], kept[r]);
    }
    squares.add(residual * residual);
  }
  const double sd = std::sqrt(squares.value() / static_cast<double>(positions.size()));
  constexpr double kRounding = 1e-8;  // the fixed effects explain everything
  return sd > kRounding * model.sd ? sd : model.sd;
}

/// Mean and standard deviation of the arm's outcomes, and its fixed effects.
ArmModel describe_arm(const Dataset& data, const RidgeSystem& system, std::size_t arm,
                      std::span<const std::uint32_t> positions) {
  ArmModel model;
  std::vector<double> outcome;
  for (const std::uint32_t p : positions)
    outcome.push_back(data.outcome[system.inputs->node_at[p]]);
  model.mean = mean(outcome);
  model.sd = std::sqrt(variance(outcome, 0));
  model.group_variances.assign(system.groups.size(), 0.0);
  model.noise = 1;
  model.fixed_columns = choose_fixed(system, arm);
  if (model.sd > 0) model.sd = residual_sd(system, model, positions, outcome);
  return model;
}

/// The standard deviation of the outcomes of all arms, for an arm whose outcomes are constant. 1
/// where all outcomes are.
double pooled_sd(const Dataset& data, const RidgeSystem& system) {
  std::vector<double> outcome;
  for (std::size_t a = 0; a < system.inputs->num_arms(); ++a) {
    for (const std::uint32_t p : system.positions_of_arm(a)) {
      outcome.push_back(data.outcome[system.inputs->node_at[p]]);
    }
  }
  const double sd = std::sqrt(variance(outcome, 0));
  return sd > 1e-12 * std::abs(mean(outcome)) ? sd : 1.0;
}

/// The outcomes of all of an arm's positions, standardised as in its model.
std::vector<double> scale_outcomes(const Dataset& data, const RidgeInputs& inputs,
                                   const ArmModel& model, std::size_t arm) {
  std::vector<double> out;
  for (std::size_t p = inputs.arm_begin[arm]; p < inputs.arm_begin[arm + 1]; ++p) {
    out.push_back((data.outcome[inputs.node_at[p]] - model.mean) / model.sd);
  }
  return out;
}

/// The solver that is prepared arm by arm; at most one is set.
struct PreparedSolver {
  std::unique_ptr<DenseSolver> dense;
  std::unique_ptr<LowRankSolver> low_rank;
};

/// Reuses variances learnt for the same groups; false where the groups differ.
bool adopt_kept(const NetworkRidgeSummary* kept, std::size_t arm, const RidgeSystem& system,
                ArmModel& model, LearntVariances& learnt) {
  if (kept == nullptr || kept->arms.size() != system.inputs->num_arms()) return false;
  const ArmVariances& found = kept->arms[arm];
  const bool same = std::ranges::equal(found.groups, system.groups,
                                       [](const auto& name_and_variance, const RidgeGroup& group) {
                                         return name_and_variance.first == enum_name(group.kind);
                                       });
  if (!same) return false;
  for (std::size_t g = 0; g < system.groups.size(); ++g) {
    model.group_variances[g] = found.groups[g].second;
  }
  model.noise = found.noise;
  model.noise_growth = found.noise_growth;
  learnt.num_nodes = found.num_nodes;
  learnt.converged = found.converged;
  return true;
}

void learn_arm(const Context& context, const Dataset& data, const NetworkRidgeOptions& options,
               const VarianceSource& source, std::size_t arm, RidgePart& part,
               const PreparedSolver& solver) {
  RidgeSystem& system = part.system;
  const RidgeInputs& inputs = *system.inputs;
  const std::vector<std::uint32_t> positions = system.positions_of_arm(arm);
  ArmModel& model = system.arms.emplace_back(describe_arm(data, system, arm, positions));
  LearntVariances& learnt = part.learnt.emplace_back();
  // With constant outcomes or very few nodes there is nothing to learn: the prediction is the mean.
  const bool is_constant = !(model.sd > 1e-12 * (std::abs(model.mean) + 1e-300));
  const bool is_tiny = positions.size() < RidgeSystem::kNumFixed + 3;
  if (is_constant) model.sd = pooled_sd(data, system);
  learnt.converged = true;
  learnt.num_nodes = positions.size();
  const bool learns =
      !is_constant && !is_tiny && !adopt_kept(source.kept.get(), arm, system, model, learnt);
  if (solver.low_rank != nullptr) {
    const std::vector<double> outcome = scale_outcomes(data, inputs, model, arm);
    const ArmProducts products(context, system, arm, outcome);
    if (learns) {
      const std::vector<std::size_t> order = order_by_hash(hash_ids(data, inputs, positions));
      const auto sum_first = [&](std::size_t count) {
        std::vector<std::uint32_t> chosen;
        for (std::size_t k = 0; k < count; ++k) chosen.push_back(positions[order[k]]);
        return sum_over(context, system, arm, chosen, outcome);
      };
      const std::size_t most = source.most_nodes;
      const bool is_part = most > 0 && most < positions.size();
      learnt = learn_variances(context, is_part ? sum_first(most) : products.of_all(), sum_first);
      adopt_variances(learnt, model);
    }
    solver.low_rank->prepare_arm(context, arm, products);
    return;
  }
  DenseSolver* dense = solver.dense.get();
  if (!learns) {
    if (dense != nullptr) {
      dense->prepare_arm(context, arm, make_kernels(context, inputs, system.groups, positions));
    }
    return;
  }
  std::vector<std::uint32_t> chosen = positions;
  const std::size_t count =
      choose_sample_size(positions.size(), dense != nullptr, source.most_nodes);
  if (count < positions.size()) {
    const std::vector<std::size_t> rows = order_by_hash(hash_ids(data, inputs, positions));
    chosen.clear();
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(positions[rows[k]]);
    std::sort(chosen.begin(), chosen.end());
  }
  std::vector<double> outcome;
  outcome.reserve(chosen.size());
  for (const std::uint32_t p : chosen) outcome.push_back(data.outcome[inputs.node_at[p]]);
  const LearntArm of_sample = learn_sampled_arm(context, system, options,
                                                {.positions = chosen,
                                                 .outcome = outcome,
                                                 .hash = hash_ids(data, inputs, chosen),
                                                 .is_part = chosen.size() < positions.size()},
                                                model);
  learnt = of_sample.learnt;
  if (dense != nullptr) dense->prepare_arm(context, arm, of_sample.kernels);
}

[[noreturn]] void refuse_known(const char* what) {
  throw Error(ErrorCode::kData,
              Fault{{.item = "network ridge"}, what, "fit the model again with cone fit"});
}

/// learn_arm() with known variances.
void adopt_arm(const Context& context, const Dataset& data, const RidgeVariances& known,
               std::size_t arm, RidgePart& part, const PreparedSolver& solver) {
  RidgeSystem& system = part.system;
  // The equations have no solution with linearly dependent fixed effects.
  if (known.arms[arm].fixed_columns != choose_fixed(system, arm)) {
    refuse_known("the model's fixed effects differ from those of the data");
  }
  const ArmModel& model = system.arms.emplace_back(known.arms[arm]);
  part.learnt.push_back(known.learnt[arm]);
  if (solver.dense != nullptr) {
    solver.dense->prepare_arm(
        context, arm,
        make_kernels(context, *system.inputs, system.groups, system.positions_of_arm(arm)));
  }
  if (solver.low_rank != nullptr) {
    const std::vector<double> outcome = scale_outcomes(data, *system.inputs, model, arm);
    solver.low_rank->prepare_arm(context, arm, ArmProducts(context, system, arm, outcome));
  }
}

void require_same_groups(const RidgeFit& known, std::span<const RidgeGroup> groups,
                         std::size_t num_arms, std::size_t num_parts) {
  const bool fits = std::ranges::equal(known.groups, groups, {}, {}, &RidgeGroup::kind);
  const bool has_same_size = known.parts.size() == num_parts && known.arms.size() == num_arms;
  if (!fits || !has_same_size)
    refuse_known("the model's groups or arms differ from those of the data");
}

/// Whether the low-rank solver takes fewer operations: no group involves neighbours, and there are
/// more nodes than features.
bool has_low_rank(const RidgeSystem& system) {
  if (!are_own_features(system.groups) || system.inputs->has_edges()) return false;
  const std::size_t features = OwnFeatures(*system.inputs, system.groups).size();
  if (features > LowRankSolver::kMostFeatures) return false;
  const auto cube = [](std::size_t count) { return std::pow(static_cast<double>(count), 3); };
  double of_nodes = 0;
  for (std::size_t a = 0; a < system.inputs->num_arms(); ++a) {
    of_nodes += cube(system.positions_of_arm(a).size());
  }
  return static_cast<double>(system.inputs->num_arms()) * cube(features) < of_nodes;
}

RidgeMethod choose_method(const RidgeSystem& system, const NetworkRidgeOptions& options,
                          const VarianceSource& source, bool may_be_low_rank) {
  const std::size_t most_nodes = source.kept != nullptr ? kLargestKeptArm : source.most_nodes;
  if (options.ridge_solver == RidgeSolverChoice::kDense) return RidgeMethod::kDense;
  if (options.ridge_solver == RidgeSolverChoice::kIterative) return RidgeMethod::kIterative;
  const bool by_likelihood = options.ridge_criterion == RidgeCriterion::kLikelihood;
  if (may_be_low_rank && by_likelihood && has_low_rank(system)) return RidgeMethod::kLowRank;
  for (std::size_t a = 0; a < system.inputs->num_arms(); ++a) {
    if (!is_small_arm(system.positions_of_arm(a).size(), most_nodes))
      return RidgeMethod::kIterative;
  }
  return RidgeMethod::kDense;
}

/// Learns or adopts the variances of all arms for the k-th of `num_parts` parts, and prepares its
/// solver, unless that is the iterative one.
PreparedSolver prepare_arms(const Context& context, const Dataset& data,
                            const NetworkRidgeOptions& options, const VarianceSource& source,
                            std::size_t k, std::size_t num_parts, bool may_be_low_rank,
                            RidgePart& part) {
  part.method = choose_method(part.system, options, source, may_be_low_rank);
  part.system.arms.clear();
  part.learnt.clear();
  PreparedSolver solver;
  if (part.method == RidgeMethod::kDense) {
    solver.dense = std::make_unique<DenseSolver>(part.system);
  } else if (part.method == RidgeMethod::kLowRank) {
    solver.low_rank = std::make_unique<LowRankSolver>(part.system);
  }
  const double share = expect_progress(part.method).learnt;
  const std::size_t num_arms = part.system.inputs->num_arms();
  for (std::size_t arm = 0; arm < num_arms; ++arm) {
    if (source.known != nullptr) {
      adopt_arm(context, data, source.known->parts[k], arm, part, solver);
      continue;
    }
    const double whole = static_cast<double>(num_parts * num_arms);
    const auto before = static_cast<double>(k * num_arms + arm);
    const StageScope stage(context, fmt::format("variances of arm {}", data.arms[arm]),
                           share * before / whole, share * (before + 1) / whole);
    learn_arm(context, data, options, source, arm, part, solver);
  }
  return solver;
}

}  // namespace

NetworkRidge learn_network_ridge(const Context& context, const Dataset& data, const FitPlan& plan,
                                 const NetworkRidgeOptions& options, const VarianceSource& source) {
  validate(options);
  require_valid(plan, data.num_nodes());
  require_every_arm(data, plan);
  NetworkRidge out;
  auto inputs = std::make_shared<RidgeInputs>(
      prepare_inputs(context, data,
                     {.smooth = asks_for(options.ridge_groups, GroupKind::kOwnSmooth),
                      .curves = asks_for(options.ridge_groups, GroupKind::kOwnCurves),
                      .communities = asks_for(options.ridge_groups, GroupKind::kCommunities)}));
  const bool once = options.ridge_variances == VarianceFits::kOnce;
  // One for all folds, so that it would see the outcomes of each.
  if (once && asks_for(options.ridge_groups, kExponentialSwitch)) {
    append_exponential_feature(data, plan, *inputs);
  }
  const std::vector<RidgeGroup> groups = list_groups(context, *inputs, options.ridge_groups);
  out.inputs = inputs;
  for (const FitTask& task : plan.tasks) {
    std::vector<std::uint32_t>& positions = out.scored_positions.emplace_back();
    for (const NodeIndex i : task.score) positions.push_back(inputs->position_of[i]);
  }
  const std::size_t num_parts = once ? 1 : plan.tasks.size();
  const RidgeFit* known = source.known;
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
    PreparedSolver solver = prepare_arms(context, data, options, source, k, num_parts, true, *part);
    if (solver.low_rank != nullptr && !solver.low_rank->is_accurate()) {
      solver = prepare_arms(context, data, options, source, k, num_parts, false, *part);
    }
    const RidgeProgress progress = expect_progress(part->method);
    if (solver.dense != nullptr) {
      part->solver = std::move(solver.dense);
    } else if (solver.low_rank != nullptr) {
      part->solver = std::move(solver.low_rank);
    } else {
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
