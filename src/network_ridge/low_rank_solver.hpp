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
#include "network_ridge/small_matrices.hpp"

namespace cone {

/// Sums over some places of an arm. `outcome`: of all of the arm's places, in units of its model.
FeatureSample sum_over(const Context& context, const RidgeSystem& system, std::size_t arm,
                       std::span<const std::uint32_t> places, std::span<const double> outcome);

/// The sums of an arm, apart by which tasks learn from a place: every task's equations, and the
/// likelihood of all, follow from these.
class ArmProducts {
 public:
  ArmProducts(const Context& context, const RidgeSystem& system, std::size_t arm,
              std::span<const double> outcome);

  /// Over all places that any task learns from.
  FeatureSample of_all() const;
  /// Of the features and the fixed effects, over the places that one task learns from.
  Matrix<double> of_task(std::size_t task) const;
  /// groups + 1: where the features of each group start.
  std::span<const std::size_t> first() const { return parts_.front().sums.first; }

 private:
  struct Part {
    std::vector<char> learning;  ///< one per task
    FeatureSample sums;
  };
  std::vector<Part> parts_;
};

/// Exact where groups are features of the nodes themselves and the noise of an arm is the same for
/// all of them: equations of features × features per arm and task instead of places × places (see
/// evaluate_likelihood of a FeatureSample). O(places · features² + tasks · features³) to prepare,
/// then O(places · features) per column.
class LowRankSolver : public RidgeSolver {
 public:
  /// The most features that this is worth its time with.
  static constexpr std::size_t kMostFeatures = 2000;

  explicit LowRankSolver(const RidgeSystem& system) : system_(system) {}

  /// Every arm once, when its variances are known, before solve().
  void prepare_arm(const Context& context, std::size_t arm, const ArmProducts& products);

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

  /// The variances of posterior_variance.hpp for what a task predicts, places × arms, without a
  /// column per place: O(places · features²).
  Matrix<double> find_variances(const Context& context, std::size_t task,
                                std::span<const std::uint32_t> places) const;

 private:
  struct TaskFactor {
    Matrix<double> inverse;  ///< M⁻¹, M = W'W + noise·I over the places that the task learns from
    Matrix<double> fixed;    ///< W'C⁻¹B
    Matrix<double> crossed;  ///< W'B
    SmallSystem system{0};   ///< B'C⁻¹B
  };
  struct ArmFactor {
    OwnFeatures features;           ///< of the groups that explain something
    std::vector<double> deviation;  ///< of every feature's effect: W = Φ·diag(deviation)
    double noise = 0;
    std::vector<TaskFactor> tasks;
  };
  void solve_arm(const Context& context, std::size_t arm, const Matrix<double>& f,
                 const Matrix<double>& g, std::span<const std::size_t> tasks,
                 RidgeSolution& out) const;

  const RidgeSystem& system_;
  std::vector<ArmFactor> arms_;
};

}  // namespace cone
