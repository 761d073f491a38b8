#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "network_ridge/ridge_system.hpp"

namespace cone {

struct RidgeFit;  // ridge_fit.hpp

/// The solver of the equations.
enum class RidgeMethod {
  kDense,      ///< ArmSolver, all arms by dense factors
  kLowRank,    ///< LowRankSolver
  kIterative,  ///< ArmSolver, some arms by iteration
};

template <>
struct EnumNames<RidgeMethod> {
  static constexpr std::array kNames = {
      std::pair{RidgeMethod::kDense, std::string_view("dense")},
      std::pair{RidgeMethod::kLowRank, std::string_view("low_rank")},
      std::pair{RidgeMethod::kIterative, std::string_view("iterative")}};
};

/// The equations of some tasks that share their variances, with their solver.
struct RidgePart {
  RidgeSystem system;
  std::vector<std::size_t> tasks;  ///< of the plan, one per task of the system
  std::unique_ptr<RidgeSolver> solver;
  RidgeMethod method = RidgeMethod::kIterative;
};

/// A network ridge with learnt variances, ready to solve.
struct NetworkRidge {
  std::shared_ptr<const RidgeInputs> inputs;
  std::vector<std::unique_ptr<RidgePart>> parts;
  std::vector<std::vector<std::uint32_t>> scored_positions;  ///< one list per task of the plan
  std::shared_ptr<const NodeCommunities> communities;        ///< null where no group needs them
};

/// Arms up to this size are solved by dense factors, and their variances learnt on all nodes.
inline constexpr std::size_t kLargestDenseArm = 5000;
/// Variances of larger arms are learnt on this many nodes, each with all its features and
/// neighbours.
inline constexpr std::size_t kVarianceSample = 3000;

/// With reused variances, the iterative solver is faster than a dense factor for larger arms.
inline constexpr std::size_t kLargestKeptArm = 1500;

/// Whether an arm is small enough for dense factors, where the user names no solver; `most_nodes`:
/// as in VarianceSource.
constexpr bool is_small_arm(std::size_t arm_size, std::size_t most_nodes = 0) {
  return arm_size <= (most_nodes == 0 ? kLargestDenseArm : most_nodes);
}

/// The number of nodes on which an arm's variances are learnt: all where it is solved by dense
/// factors, else at most `most_nodes`; 0: chosen from the arm's size.
constexpr std::size_t choose_sample_size(std::size_t arm_size, bool is_dense,
                                         std::size_t most_nodes) {
  if (is_dense) return arm_size;
  if (most_nodes == 0) most_nodes = arm_size > kLargestDenseArm ? kVarianceSample : arm_size;
  return most_nodes < arm_size ? most_nodes : arm_size;
}

/// Progress at the end of each stage, as a share of the run's time: variances learnt, equations
/// prepared, outcomes predicted. The rest is the implied weights of policies.
struct RidgeProgress {
  double learnt;
  double prepared;
  double predicted;
};
constexpr RidgeProgress expect_progress(RidgeMethod method) {
  switch (method) {
    case RidgeMethod::kDense:
      return {0.85, 0.85, 0.95};
    case RidgeMethod::kLowRank:
      return {0.6, 0.75, 0.9};
    case RidgeMethod::kIterative:
      break;
  }
  return {0.15, 0.4, 0.6};
}

/// Alternatives to learning the variances on all nodes of the data.
struct VarianceSource {
  /// An earlier fit to the same data, plan and options: the equations are bitwise the same. Throws
  /// Error(kData) where its groups are not the data's.
  const RidgeFit* known = nullptr;
  /// Variances learnt on data of which this is a variant (a column or nodes dropped, resampled
  /// outcomes): reused where the groups are the same, as learning them takes most of the time of a
  /// fit; learnt again where the groups differ.
  std::shared_ptr<const NetworkRidgeSummary> kept;
  /// The most nodes of an arm to learn variances on, unless the solver is dense, which it is not
  /// for larger arms; 0: chosen from the arm's size and the solver.
  std::size_t most_nodes = 0;
  /// Whether equations will be solved; otherwise parts have no solver (but for a low-rank one).
  bool prepares_solver = true;
  /// A ridge on the same data, plan and groups of options, whose features are used again.
  const NetworkRidge* same_features = nullptr;
  /// Communities of the data's network; nullptr: to be searched where a group needs them.
  std::shared_ptr<const NodeCommunities> communities = nullptr;
};

/// Learns the variances and prepares the equations, over the nodes of all ranks of the context.
/// Throws what require_every_arm throws.
NetworkRidge learn_network_ridge(const Context& context, const Dataset& data, const FitPlan& plan,
                                 const NetworkRidgeOptions& options,
                                 const VarianceSource& source = {});

/// The solution for the logged outcomes, one column per task of the part.
RidgeSolution solve_outcomes(const Context& context, const RidgePart& part, const Dataset& data);

/// The predictions of a solution at every position for one arm, positions × tasks of the part, in
/// the unit of the outcome.
Matrix<double> predict_arm(const Context& context, const RidgePart& part,
                           const RidgeSolution& solution, std::size_t arm);

}  // namespace cone
