#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/own_features.hpp"
#include "network_ridge/restricted_likelihood.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// Sums over some positions of an arm, of all ranks. `outcome`: of all of the arm's positions,
/// standardised as in its model.
FeatureSample sum_over(const Context& context, const RidgeSystem& system, std::size_t arm,
                       std::span<const std::uint32_t> positions, std::span<const double> outcome);

/// The sums of an arm, separately for each set of tasks that learn from a position: the equations
/// of every task and the likelihood follow from them.
class ArmProducts {
 public:
  ArmProducts(const Context& context, const RidgeSystem& system, std::size_t arm,
              std::span<const double> outcome);

  /// Over all positions that any task learns from.
  FeatureSample of_all() const;
  /// Over the positions that one task learns from.
  FeatureSample of_task(std::size_t task) const;

 private:
  struct Part {
    std::string learning;  ///< one per task
    FeatureSample sums;
  };
  template <class Chosen>
  FeatureSample sum_parts(const Chosen& is_chosen) const;

  std::vector<Part> parts_;
};

/// Exact where all groups are the nodes' own features: equations of features × features per arm and
/// task instead of positions × positions (see evaluate_likelihood of a FeatureSample).
/// O(positions · features² + tasks · features³) to prepare, then O(positions · features) per
/// column. On ranks products of features are summed: all ranks have the same factors.
class LowRankSolver : public RidgeSolver {
 public:
  /// The number of features up to which this solver pays.
  static constexpr std::size_t kMostFeatures = 2000;

  explicit LowRankSolver(const RidgeSystem& system) : system_(system) {}

  /// Factorises the equations of an arm whose variances are known; once per arm, before solve().
  void prepare_arm(const Context& context, std::size_t arm, const ArmProducts& products);
  /// Whether double precision suffices for the arms prepared so far. It does not where the features
  /// explain almost everything (an outcome that is a sum of columns).
  bool is_accurate() const { return is_accurate_; }

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

  /// The variances of posterior_variance.hpp of a task's predictions, positions × arms, without one
  /// right-hand side per position: O(positions · features²).
  Matrix<double> find_variances(const Context& context, std::size_t task,
                                std::span<const std::uint32_t> positions) const;

 private:
  struct TaskFactor {
    /// The Cholesky factor of M = W'W + noise·I over the positions that the task learns from. Not
    /// the explicit inverse: a second solve could not restore the digits that it loses.
    Matrix<double> factor;
    std::vector<double> mean;  ///< of these positions' features, times the deviations
    double num_positions = 0;
  };
  struct ArmFactor {
    OwnFeatures features;           ///< of the groups with positive variance
    std::vector<double> deviation;  ///< standard deviation of every feature's effect
    double noise = 0;
    std::vector<TaskFactor> tasks;
  };
  void solve_arm(const Context& context, std::size_t arm, const Matrix<double>& f,
                 const Matrix<double>& g, std::span<const std::size_t> tasks,
                 RidgeSolution& out) const;

  const RidgeSystem& system_;
  std::vector<ArmFactor> arms_;
  std::vector<std::unique_ptr<ArmEquations>> equations_;  ///< by arm
  bool is_accurate_ = true;
};

}  // namespace cone
