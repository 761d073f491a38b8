#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/groups.hpp"
#include "network_ridge/inputs.hpp"

namespace cone {

/// The variance components of one arm, learnt before any equation is solved, and how.
struct ArmModel {
  double mean = 0;  ///< of the outcomes fitted to
  double sd = 1;    ///< of their residuals on the fixed effects: the unit of what follows
  std::vector<double> group_variances;  ///< one per group; 0 where negligible
  double noise = 0;
  double noise_growth = 0;                 ///< times the relative degree
  std::vector<std::size_t> fixed_columns;  ///< indices of the linearly independent fixed effects
  std::size_t num_nodes = 0;               ///< that the variances were learnt on
  std::size_t steps = 0;                   ///< evaluations of the likelihood on all of these
  bool converged = true;
};

/// The fixed effects of a node from its relative degree: 1, d/d̄, √(d/d̄).
double fixed_effect_of(double relative_degree, std::size_t column);

/// The noise variance of a node of the arm when equations are solved, undersmoothing included.
double noise_of_position(const ArmModel& arm, double relative_degree, double undersmoothing);

/// The mixed-model equations (Henderson 1975) of the network ridge for all arms and tasks. With J
/// the positions of arm a that a task may learn from, K_a = Σ_g (σ²_g/c_g)·Φ_gΦ_g' and N the noise
/// variance times the undersmoothing:
///
///   (K_a,JJ + N_J)·x + B_J·λ = f_J
///    B_J'·x                  = g
///
/// With f the outcomes and g = 0, the prediction at any position i is K_a,iJ·x + b_i'λ. With f and
/// g the right-hand sides of a weighted sum of predictions, x are the weights of the outcomes in
/// that sum.
struct RidgeSystem {
  std::shared_ptr<const RidgeInputs> inputs;
  std::vector<RidgeGroup> groups;
  std::vector<ArmModel> arms;
  double undersmoothing = 1;
  /// tasks × positions: whether the task may learn from the position.
  std::vector<std::vector<char>> learns_from;

  std::size_t num_tasks() const { return learns_from.size(); }
  /// The number of fixed effects: 1, d/d̄, √(d/d̄).
  static constexpr std::size_t kNumFixed = 3;
  double fixed_effect(std::size_t position, std::size_t column) const;
  /// The noise variance at the position under its own arm, undersmoothing included.
  double noise_at(std::size_t position) const;
  /// The positions of the arm that any task learns from.
  std::vector<std::uint32_t> positions_of_arm(std::size_t arm) const;
};

struct RidgeSolution {
  Matrix<double> x;       ///< positions × columns; zero where the column's task does not learn
  Matrix<double> lambda;  ///< (arms · kNumFixed) × columns; zero for dropped fixed effects
  bool converged = true;
  std::size_t iterations = 0;
};

/// The right-hand sides f (positions × columns) and g ((arms · kNumFixed) × columns), or their
/// residuals.
struct RidgeSides {
  Matrix<double> f;
  Matrix<double> g;
};

/// Solves the equations for many right-hand sides.
class RidgeSolver {
 public:
  virtual ~RidgeSolver() = default;
  /// Column k belongs to task tasks[k]. f: positions × columns, g: (arms · kNumFixed) × columns. A
  /// row of f belongs to the equations of the position's own arm.
  virtual RidgeSolution solve(const Context& context, const Matrix<double>& f,
                              const Matrix<double>& g,
                              std::span<const std::size_t> tasks) const = 0;
};

/// Throws Error(kData) where a factorisation has failed.
void require_solution(bool is_factorised);

/// σ²_g/c_g of one arm, the prior variance of one effect, by kind of group; 0 for absent groups.
class GroupStrengths {
 public:
  GroupStrengths(std::span<const RidgeGroup> groups, const ArmModel& arm) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      value_[static_cast<std::size_t>(groups[g].kind)] = arm.group_variances[g] / groups[g].scale;
    }
  }
  double operator[](GroupKind kind) const { return value_[static_cast<std::size_t>(kind)]; }
  void leave_out(GroupKind kind) { value_[static_cast<std::size_t>(kind)] = 0; }
  /// Whether any group sums over neighbours.
  bool sums() const {
    return (*this)[GroupKind::kNeighbourSumsCounts] > 0 ||
           (*this)[GroupKind::kNeighbourSumsNumeric] > 0 ||
           (*this)[GroupKind::kNeighbourEffects] > 0;
  }
  /// Whether any group averages over neighbours.
  bool means() const {
    return (*this)[GroupKind::kNeighbourMeansCounts] > 0 ||
           (*this)[GroupKind::kNeighbourMeansNumeric] > 0 ||
           (*this)[GroupKind::kMeanNeighbourEffects] > 0;
  }
  /// Whether there are any community effects.
  bool communities() const {
    return std::ranges::any_of(kCommunityKinds, [&](GroupKind kind) { return (*this)[kind] > 0; });
  }

 private:
  std::array<double, EnumNames<GroupKind>::kNames.size()> value_{};
};

}  // namespace cone
