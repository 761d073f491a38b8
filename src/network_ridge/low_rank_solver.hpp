#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/feature_likelihood.hpp"
#include "network_ridge/own_features.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// Sums over some positions of an arm. `outcome`: of all of the arm's positions, in units of its
/// model.
FeatureSample sum_over(const Context& context, const RidgeSystem& system, std::size_t arm,
                       std::span<const std::uint32_t> positions, std::span<const double> outcome);

/// The sums of an arm, apart by which tasks learn from a position: every task's equations, and the
/// likelihood of all, follow from these.
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
    std::vector<char> learning;  ///< one per task
    FeatureSample sums;
  };
  template <class Chosen>
  FeatureSample allreduce(const Chosen& is_chosen) const;

  std::vector<Part> parts_;
};

/// Exact where groups are features of the nodes themselves: equations of features × features per
/// arm and task instead of positions × positions (see evaluate_likelihood of a FeatureSample).
/// O(positions · features² + tasks · features³) to prepare, then O(positions · features) per
/// column.
class LowRankSolver : public RidgeSolver {
 public:
  /// The most features that this is worth its time with.
  static constexpr std::size_t kMostFeatures = 2000;

  explicit LowRankSolver(const RidgeSystem& system) : system_(system) {}

  /// Every arm once, when its variances are known, before solve().
  void prepare_arm(const Context& context, std::size_t arm, const ArmProducts& products);
  /// Whether double precision is enough for the arms that are prepared: the features explain so
  /// much more than noise in some data (an outcome that is a sum of columns) that it is not.
  bool is_accurate() const { return is_accurate_; }

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

  /// The variances of posterior_variance.hpp for what a task predicts, positions × arms, without a
  /// column per position: O(positions · features²).
  Matrix<double> find_variances(const Context& context, std::size_t task,
                                std::span<const std::uint32_t> positions) const;

 private:
  struct TaskFactor {
    /// Of M = W'W + noise·I over the positions that the task learns from. No inverse: its errors do
    /// not vanish where the equations want them to, and the second solve would not bring digits
    /// back.
    Matrix<double> factor;
    std::vector<double> mean;  ///< of these positions' features, times the deviations
    double num_positions = 0;
  };
  struct ArmFactor {
    OwnFeatures features;           ///< of the groups that explain something
    std::vector<double> deviation;  ///< of every feature's effect
    double noise = 0;
    std::vector<TaskFactor> tasks;
  };
  void solve_arm(const Context& context, std::size_t arm, const Matrix<double>& f,
                 const Matrix<double>& g, std::span<const std::size_t> tasks,
                 RidgeSolution& out) const;

  const RidgeSystem& system_;
  std::vector<ArmFactor> arms_;
  bool is_accurate_ = true;
};

}  // namespace cone
