#include "joint_model/joint_solve.hpp"

#include <algorithm>
#include <cmath>

#include "cone/context.hpp"

#include "joint_model/mixed_model.hpp"
#include "network_ridge/kernel_products.hpp"

namespace cone {
namespace {

constexpr std::size_t kJointRounds = 5;
/// Log odds have converged where none changes by more.
constexpr double kIndexTolerance = 1e-2;
/// In the last round.
constexpr double kLargestIndexChange = 0.1;

/// The rows of the stacked model: the outcomes of the arm, then the treatment of all positions.
class StackedModel {
 public:
  StackedModel(const Context& context, const JointEquations& equations)
      : context_(context),
        equations_(equations),
        first_(equations.outcomes.inputs->arm_begin[equations.arm]),
        count_(equations.outcome.size()),
        size_(equations.received.size()) {
    const RidgeSystem& system = equations.outcomes;
    const ArmModel& model = system.arms[equations.arm];
    for (const double degree : system.inputs->relative_degree) {
      noise_.push_back(noise_of_position(model, degree, 1));
      selected_.push_back(equations.selected_noise * model.noise_growth * degree);
    }
  }

  std::size_t num_rows() const { return count_ + size_; }
  std::size_t row_of_treatment(std::size_t position) const { return count_ + position; }

  /// f's part of the products: K·(x_J + θ·x_z), at every position.
  Matrix<double> reach(const Matrix<double>& x) const {
    Matrix<double> source(size_, x.cols());
    for (std::size_t p = 0; p < size_; ++p) {
      for (std::size_t c = 0; c < x.cols(); ++c) {
        source(p, c) = equations_.treatment.slope * x(row_of_treatment(p), c);
        if (has_outcome(p)) source(p, c) += x(p - first_, c);
      }
    }
    return multiply_kernel(context_, equations_.outcomes, equations_.arm, source);
  }

  Matrix<double> multiply(const Matrix<double>& x, std::span<const double> treatment_noise) const {
    const double slope = equations_.treatment.slope;
    const Matrix<double> reached = reach(x);
    Matrix<double> of_treatment(size_, x.cols());
    for (std::size_t p = 0; p < size_; ++p) {
      std::ranges::copy(x.row(row_of_treatment(p)), of_treatment.row(p).begin());
    }
    const Matrix<double> reasons =
        multiply_kernel(context_, equations_.treatment.other_reasons, 0, of_treatment);
    Matrix<double> out(num_rows(), x.cols());
    for (std::size_t p = 0; p < size_; ++p) {
      for (std::size_t c = 0; c < x.cols(); ++c) {
        const double z = of_treatment(p, c);
        double& below = out(row_of_treatment(p), c);
        below = slope * (reached(p, c) + slope * selected_[p] * z) + reasons(p, c) +
                treatment_noise[p] * z;
        if (!has_outcome(p)) continue;
        const double y = x(p - first_, c);
        below += slope * selected_[p] * y;
        out(p - first_, c) = reached(p, c) + noise_[p] * y + slope * selected_[p] * z;
      }
    }
    return out;
  }

  /// B, with separate coefficients for outcomes and treatments.
  Matrix<double> make_fixed() const {
    const RidgeSystem& system = equations_.outcomes;
    const std::vector<std::size_t>& kept = system.arms[equations_.arm].fixed_columns;
    const Matrix<double>& of_treatment = equations_.treatment.fixed;
    Matrix<double> fixed(num_rows(), kept.size() + of_treatment.cols());
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t c = 0; c < kept.size(); ++c) {
        fixed(i, c) = system.fixed_effect(first_ + i, kept[c]);
      }
    }
    for (std::size_t p = 0; p < size_; ++p) {
      for (std::size_t c = 0; c < of_treatment.cols(); ++c) {
        fixed(row_of_treatment(p), kept.size() + c) = of_treatment(p, c);
      }
    }
    return fixed;
  }

  std::vector<double> make_diagonal(std::span<const double> treatment_noise) const {
    const double slope = equations_.treatment.slope;
    const std::vector<double> kernel = approximate_diagonal(equations_.outcomes, equations_.arm);
    const std::vector<double> reasons = approximate_diagonal(equations_.treatment.other_reasons, 0);
    std::vector<double> out(num_rows());
    for (std::size_t i = 0; i < count_; ++i) out[i] = kernel[first_ + i] + noise_[first_ + i];
    for (std::size_t p = 0; p < size_; ++p) {
      out[row_of_treatment(p)] =
          slope * slope * (kernel[p] + selected_[p]) + reasons[p] + treatment_noise[p];
    }
    return out;
  }

 private:
  bool has_outcome(std::size_t position) const {
    return position >= first_ && position < first_ + count_;
  }

  const Context& context_;
  const JointEquations& equations_;
  std::size_t first_;
  std::size_t count_;
  std::size_t size_;
  std::vector<double> noise_;     ///< of the outcome under the arm, at every position
  std::vector<double> selected_;  ///< the variance of ε'
};

}  // namespace

JointSolution solve_joint_model(const Context& context, const JointEquations& equations,
                                double tolerance) {
  const StackedModel stacked(context, equations);
  const std::size_t n = equations.received.size();
  JointSolution out;
  std::vector<double> index = equations.treatment.index;
  MixedSolution solved;
  MixedModel model;
  model.fixed = stacked.make_fixed();
  for (std::size_t round = 0; round < kJointRounds; ++round) {
    const WorkingOutcome working(index, equations.received);
    model.multiply = [&](const Matrix<double>& x) { return stacked.multiply(x, working.noise); };
    model.diagonal = stacked.make_diagonal(working.noise);
    Matrix<double> sides(stacked.num_rows(), 1);
    for (std::size_t i = 0; i < equations.outcome.size(); ++i) sides(i, 0) = equations.outcome[i];
    for (std::size_t p = 0; p < n; ++p) {
      sides(stacked.row_of_treatment(p), 0) = working.outcome[p];
    }
    const Matrix<double> start = solved.x;
    solved = solve_mixed_model(context, model, sides, tolerance, round > 0 ? &start : nullptr);
    double largest = 0;
    for (std::size_t p = 0; p < n; ++p) {
      const double next =
          working.outcome[p] - solved.x(stacked.row_of_treatment(p), 0) * working.noise[p];
      largest = std::max(largest, std::abs(next - index[p]));
      index[p] = next;
    }
    largest = context.comm().allreduce_max(largest);
    const bool is_stable = largest < kIndexTolerance;
    const bool is_last = round + 1 == kJointRounds;
    out.converged =
        solved.converged && (is_last ? largest < kLargestIndexChange : std::isfinite(largest));
    if (is_stable || !out.converged) break;
  }
  for (std::size_t p = 0; p < n; ++p) {
    out.surprise.push_back(solved.x(stacked.row_of_treatment(p), 0));
  }
  return out;
}

std::vector<double> extrapolate(const Context& context, const JointEquations& equations,
                                const RidgeSolver& solver, std::size_t task,
                                std::span<const double> surprise) {
  const RidgeSystem& system = equations.outcomes;
  const RidgeInputs& inputs = *system.inputs;
  const ArmModel& model = system.arms[equations.arm];
  const std::size_t n = inputs.num_nodes();
  const auto selected = [&](std::size_t p) {
    return equations.selected_noise * model.noise_growth * inputs.relative_degree[p];
  };
  Matrix<double> others(n, 1);
  Matrix<double> g(system.arms.size() * RidgeSystem::kNumFixed, 1);
  for (std::size_t p = 0; p < n; ++p) {
    if (equations.received[p] != 0) continue;
    others(p, 0) = surprise[p];
    for (const std::size_t c : model.fixed_columns) {
      g(equations.arm * RidgeSystem::kNumFixed + c, 0) += system.fixed_effect(p, c) * surprise[p];
    }
  }
  inputs.comm->allreduce(g.values());
  const Matrix<double> reached = multiply_kernel(context, system, equations.arm, others);
  Matrix<double> f(n, 1);
  for (std::size_t p = 0; p < n; ++p) {
    if (equations.received[p] == 0) continue;
    const double noise = noise_of_position(model, inputs.relative_degree[p], 1);
    f(p, 0) = reached(p, 0) - (noise - selected(p)) * surprise[p];
  }
  const RidgeSolution solved = solver.solve(context, f, g, std::vector<std::size_t>{task});
  const Matrix<double> explained = predict_in_units(context, system, solved, equations.arm);
  std::vector<double> out(n, 0.0);
  for (std::size_t p = 0; p < n; ++p) {
    if (equations.received[p] != 0) continue;
    out[p] =
        equations.treatment.slope * (reached(p, 0) - explained(p, 0) + selected(p) * surprise[p]);
  }
  return out;
}

}  // namespace cone
