#include "network_ridge/network_ridge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "data/collective_error.hpp"
#include "exec/statistics.hpp"
#include "network_ridge/arm_solver.hpp"
#include "network_ridge/exponential_feature.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/learn_arm.hpp"
#include "network_ridge/low_rank_solver.hpp"
#include "network_ridge/ridge_fit.hpp"
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

/// Of the positions of the arm that each task learns from.
std::vector<std::size_t> choose_fixed(const RidgeSystem& system, std::size_t arm) {
  std::vector<std::vector<std::uint32_t>> sets(system.num_tasks());
  for (std::size_t t = 0; t < sets.size(); ++t) {
    for (std::size_t p = system.inputs->arm_begin[arm]; p < system.inputs->arm_begin[arm + 1];
         ++p) {
      if (system.learns_from[t][p] != 0) sets[t].push_back(static_cast<std::uint32_t>(p));
    }
  }
  return choose_fixed(*system.inputs, sets);
}

/// Mean and standard deviation of the arm's outcomes, and its fixed effects. The unit is the
/// deviation from these, so that variances have a readable size where the degree explains nearly
/// everything.
ArmModel describe_arm(const Dataset& data, const RidgeSystem& system, std::size_t arm,
                      std::span<const std::uint32_t> positions) {
  ArmModel model;
  std::vector<double> outcome;
  for (const std::uint32_t p : positions)
    outcome.push_back(data.outcome[system.inputs->node_at[p]]);
  const Communicator& comm = *system.inputs->comm;
  model.mean = mean(outcome, comm);
  model.sd = std::sqrt(variance(outcome, 0, comm));
  model.group_variances.assign(system.groups.size(), 0.0);
  model.noise = 1;
  model.fixed_columns = choose_fixed(system, arm);
  if (!(model.sd > 0)) return model;
  for (double& y : outcome) y -= model.mean;
  const double sd =
      residual_sd(take_fixed(*system.inputs, positions, model.fixed_columns), outcome, comm);
  constexpr double kRounding = 1e-8;  // the fixed effects explain everything
  if (sd > kRounding * model.sd) model.sd = sd;
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
  const Communicator& comm = *system.inputs->comm;
  const double sd = std::sqrt(variance(outcome, 0, comm));
  return sd > 1e-12 * std::abs(mean(outcome, comm)) ? sd : 1.0;
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

/// Reuses variances learnt for the same groups; false where the groups differ.
bool adopt_kept(const NetworkRidgeSummary* kept, std::size_t arm, const RidgeSystem& system,
                ArmModel& model) {
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
  model.num_nodes = found.num_nodes;
  model.converged = found.converged;
  return true;
}

[[noreturn]] void refuse_known(const char* what) {
  throw Error(ErrorCode::kData,
              Fault{{.item = "network ridge"}, what, "fit the model again with cone fit"});
}

void require_same_groups(const RidgeFit& known, std::span<const RidgeGroup> groups,
                         std::size_t num_arms, std::size_t num_parts) {
  const bool fits = std::ranges::equal(known.groups, groups, {}, {}, &RidgeGroup::kind);
  const bool has_same_size = known.parts.size() == num_parts && known.arms.size() == num_arms;
  if (!fits || !has_same_size)
    refuse_known("the model's groups or arms differ from those of the data");
}

/// How an arm's equations are solved, and whether its variances are yet to be learnt.
struct ArmPlan {
  std::size_t num_positions = 0;  ///< that any task learns from, on all ranks
  bool is_dense = false;
  bool learns = false;
};

std::vector<ArmPlan> plan_arms(const RidgeSystem& system, const NetworkRidgeOptions& options,
                               const VarianceSource& source) {
  const std::size_t most_nodes = source.kept != nullptr ? kLargestKeptArm : source.most_nodes;
  std::vector<ArmPlan> arms(system.inputs->num_arms());
  for (std::size_t a = 0; a < arms.size(); ++a) {
    arms[a].num_positions =
        static_cast<std::size_t>(system.inputs->comm->count(system.positions_of_arm(a).size()));
    arms[a].is_dense = options.ridge_solver == RidgeSolverChoice::kAuto
                           ? is_small_arm(arms[a].num_positions, most_nodes)
                           : options.ridge_solver == RidgeSolverChoice::kDense;
  }
  return arms;
}

/// Whether the low-rank solver may be used and takes fewer operations: no group involves
/// neighbours, and there are more nodes than features.
bool may_have_low_rank(const RidgeSystem& system, const NetworkRidgeOptions& options,
                       std::span<const ArmPlan> arms) {
  if (options.ridge_solver != RidgeSolverChoice::kAuto ||
      options.ridge_criterion != RidgeCriterion::kLikelihood) {
    return false;
  }
  if (!are_own_features(system.groups) || system.inputs->has_edges()) return false;
  const std::size_t features = OwnFeatures(*system.inputs, system.groups).size();
  if (features > LowRankSolver::kMostFeatures) return false;
  const auto cube = [](std::size_t count) { return std::pow(static_cast<double>(count), 3); };
  double of_nodes = 0;
  for (const ArmPlan& arm : arms) of_nodes += cube(arm.num_positions);
  return static_cast<double>(arms.size()) * cube(features) < of_nodes;
}

/// Describes the arms, and adopts variances that are known.
void describe_arms(const Dataset& data, const VarianceSource& source, std::size_t part_number,
                   RidgePart& part, std::vector<ArmPlan>& arms) {
  RidgeSystem& system = part.system;
  system.arms.clear();
  for (std::size_t a = 0; a < arms.size(); ++a) {
    if (source.known != nullptr) {
      const ArmModel& known = source.known->parts[part_number][a];
      // The equations have no solution with linearly dependent fixed effects.
      if (known.fixed_columns != choose_fixed(system, a)) {
        refuse_known("the model's fixed effects differ from those of the data");
      }
      system.arms.push_back(known);
      arms[a].learns = false;
      continue;
    }
    ArmModel& model =
        system.arms.emplace_back(describe_arm(data, system, a, system.positions_of_arm(a)));
    // With constant outcomes or very few nodes there is nothing to learn: the prediction is the
    // mean.
    const bool is_constant = !(model.sd > 1e-12 * (std::abs(model.mean) + 1e-300));
    const bool is_tiny = arms[a].num_positions < RidgeSystem::kNumFixed + 3;
    if (is_constant) model.sd = pooled_sd(data, system);
    model.num_nodes = arms[a].num_positions;
    arms[a].learns = !is_constant && !is_tiny && !adopt_kept(source.kept.get(), a, system, model);
  }
}

/// Copies what the root learnt about an arm to all ranks.
void broadcast_arm(const Communicator& comm, std::size_t root, ArmModel& model) {
  comm.broadcast(root, model.group_variances);
  std::array<double, 5> rest = {model.noise, model.noise_growth,
                                static_cast<double>(model.num_nodes),
                                static_cast<double>(model.steps), model.converged ? 1.0 : 0.0};
  comm.broadcast(root, rest);
  model.noise = rest[0];
  model.noise_growth = rest[1];
  model.num_nodes = static_cast<std::size_t>(rest[2]);
  model.steps = static_cast<std::size_t>(rest[3]);
  model.converged = rest[4] != 0;
}

/// A part of the progress of a stage, divided evenly over parts and arms.
struct ArmProgress {
  double share;
  double num_parts;
  double part_number;

  StageScope enter(const Context& context, const std::string& label, std::size_t arm,
                   std::size_t num_arms) const {
    const double whole = num_parts * static_cast<double>(num_arms);
    const double before = part_number * static_cast<double>(num_arms) + static_cast<double>(arm);
    return {context, "variances of arm " + label, share * before / whole,
            share * (before + 1) / whole};
  }
};

/// Learns the variances of all arms that are learnt, each on one rank, and factorises the equations
/// of dense ones where the solver is to be used.
void learn_arms(const Context& context, const Dataset& data, const NetworkRidgeOptions& options,
                std::size_t most_nodes, const ArmProgress& progress, std::span<const ArmPlan> arms,
                RidgePart& part, ArmSolver* solver) {
  RidgeSystem& system = part.system;
  const Communicator& comm = *system.inputs->comm;
  std::vector<GatheredArm> gathered(arms.size());
  const auto gather = [&](std::size_t a) {
    if (!arms[a].learns && !(arms[a].is_dense && solver != nullptr)) return;
    const std::size_t count =
        choose_sample_size(arms[a].num_positions, arms[a].is_dense, most_nodes);
    gathered[a] = gather_arm(data, system, a, count, ArmSolver::owner(comm, a));
  };
  // All samples are sent before any rank learns, so that arms are learnt concurrently.
  for (std::size_t a = 0; comm.has_others() && a < arms.size(); ++a) gather(a);
  const auto learn_own = [&](std::size_t a) {
    GatheredArm of_arm = std::move(gathered[a]);
    if (of_arm.positions.empty()) return;
    const Context alone = own_context(context, arms.size(), of_arm.positions.size());
    const StageScope stage = progress.enter(alone, data.arms[a], a, arms.size());
    of_arm.system.arms.resize(of_arm.arm + 1);
    of_arm.system.arms[of_arm.arm] = system.arms[a];
    ArmKernels kernels;
    if (arms[a].learns) {
      kernels = learn_gathered_arm(alone, options, of_arm.positions.size() < arms[a].num_positions,
                                   of_arm);
      system.arms[a] = of_arm.system.arms[of_arm.arm];
    } else {
      kernels = make_kernels(alone, *of_arm.system.inputs, system.groups, of_arm.positions);
    }
    if (arms[a].is_dense && solver != nullptr) solver->factorise(alone, a, of_arm, kernels);
  };
  FaultList faults;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    if (!comm.has_others()) gather(a);
    try {
      learn_own(a);
    } catch (const Error& error) {
      // The other ranks wait for this one: all throw it together.
      if (!comm.has_others() || error.code() != ErrorCode::kData) throw;
      for (const Fault& fault : error.faults()) faults.add("network ridge", fault);
    }
  }
  comm.barrier();
  throw_if_any(comm, faults, ErrorCode::kData);
  for (std::size_t a = 0; a < arms.size(); ++a) {
    if (!arms[a].learns) continue;
    broadcast_arm(comm, ArmSolver::owner(comm, a), system.arms[a]);
  }
}

/// Learns the variances of all arms from the products of their features, and factorises their
/// equations.
std::unique_ptr<LowRankSolver> learn_low_rank(const Context& context, const Dataset& data,
                                              std::size_t most_nodes, const ArmProgress& progress,
                                              std::span<const ArmPlan> arms, RidgePart& part) {
  RidgeSystem& system = part.system;
  auto solver = std::make_unique<LowRankSolver>(system);
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const StageScope stage = progress.enter(context, data.arms[a], a, arms.size());
    const std::vector<double> outcome = scale_outcomes(data, *system.inputs, system.arms[a], a);
    const ArmProducts products(context, system, a, outcome);
    if (arms[a].learns) {
      const auto sum_first = [&](std::size_t count) {
        return sum_over(context, system, a,
                        choose_sample(data, *system.inputs, system.positions_of_arm(a), count),
                        outcome);
      };
      const bool is_part = most_nodes > 0 && most_nodes < arms[a].num_positions;
      adopt_variances(
          learn_variances(context, is_part ? sum_first(most_nodes) : products.of_all(), sum_first),
          system.arms[a]);
    }
    solver->prepare_arm(context, a, products);
  }
  return solver;
}

/// Learns or adopts the variances of all arms of the k-th of `num_parts` parts, and prepares its
/// solver.
void prepare_part(const Context& context, const Dataset& data, const NetworkRidgeOptions& options,
                  const VarianceSource& source, std::size_t k, std::size_t num_parts,
                  RidgePart& part) {
  std::vector<ArmPlan> arms = plan_arms(part.system, options, source);
  const auto progress = [&] {
    return ArmProgress{expect_progress(part.method).learnt, static_cast<double>(num_parts),
                       static_cast<double>(k)};
  };
  if (may_have_low_rank(part.system, options, arms)) {
    part.method = RidgeMethod::kLowRank;
    describe_arms(data, source, k, part, arms);
    auto solver = learn_low_rank(context, data, source.most_nodes, progress(), arms, part);
    if (solver->is_accurate()) {
      part.solver = std::move(solver);
      return;
    }
  }
  const bool is_dense = std::ranges::all_of(arms, &ArmPlan::is_dense);
  part.method = is_dense ? RidgeMethod::kDense : RidgeMethod::kIterative;
  describe_arms(data, source, k, part, arms);
  std::unique_ptr<ArmSolver> solver;
  if (source.prepares_solver) solver = std::make_unique<ArmSolver>(part.system);
  learn_arms(context, data, options, source.most_nodes, progress(), arms, part, solver.get());
  if (solver == nullptr) return;
  const RidgeProgress expected = expect_progress(part.method);
  const double share = (expected.prepared - expected.learnt) / static_cast<double>(num_parts);
  const StageScope stage(context, "equations", expected.learnt + share * static_cast<double>(k),
                         expected.learnt + share * static_cast<double>(k + 1));
  std::vector<char> dense;
  for (const ArmPlan& arm : arms) dense.push_back(arm.is_dense ? 1 : 0);
  solver->prepare(context, dense);
  part.solver = std::move(solver);
}

}  // namespace

NetworkRidge learn_network_ridge(const Context& context, const Dataset& data, const FitPlan& plan,
                                 const NetworkRidgeOptions& options, const VarianceSource& source) {
  validate(options);
  require_valid(plan, data.num_nodes());
  require_every_arm(data, plan, context.comm());
  NetworkRidge out;
  const bool once = options.ridge_variances == VarianceFits::kOnce;
  std::vector<RidgeGroup> groups;
  std::shared_ptr<const RidgeInputs> inputs;
  if (source.same_features != nullptr) {
    inputs = source.same_features->inputs;
    groups = source.same_features->parts.front()->system.groups;
    out.communities = source.same_features->communities;
  } else {
    if (data.num_edges() > 0 && asks_for(options.ridge_groups, GroupKind::kCommunities)) {
      out.communities = source.communities;
      if (!out.communities) {
        out.communities =
            std::make_shared<const NodeCommunities>(find_node_communities(context, data));
      }
    }
    auto prepared = std::make_shared<RidgeInputs>(
        prepare_inputs(context, data,
                       {.smooth = asks_for(options.ridge_groups, GroupKind::kOwnSmooth),
                        .curves = asks_for(options.ridge_groups, GroupKind::kOwnCurves),
                        .communities = out.communities != nullptr,
                        .found = out.communities.get()}));
    // One for all folds, so that it would see the outcomes of each.
    if (once && asks_for(options.ridge_groups, kExponentialSwitch)) {
      append_exponential_feature(data, plan, *prepared);
    }
    groups = list_groups(context, *prepared, options.ridge_groups);
    inputs = std::move(prepared);
  }
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
    prepare_part(context, data, options, source, k, num_parts, *part);
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
  const ArmModel& model = part.system.arms[arm];
  Matrix<double> out = predict_in_units(context, part.system, solution, arm);
  for (double& value : out.values()) value = model.mean + model.sd * value;
  return out;
}

}  // namespace cone
