#include "joint_model/joint_solve.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "network_ridge/iterative_solver.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/posterior_variance.hpp"
#include "network_ridge/ridge_world.hpp"
#include "network_ridge/small_matrices.hpp"

namespace cone {
namespace {

constexpr std::size_t kArm = 1;

using Vector = std::vector<double>;

/// M⁻¹·b by Cholesky, densely.
Matrix<double> solve_dense(const Matrix<double>& m, const Matrix<double>& b) {
  SmallSystem system(m.rows());
  system.matrix = m;
  EXPECT_TRUE(system.factorise());
  Matrix<double> out = b;
  for (std::size_t c = 0; c < b.cols(); ++c) {
    Vector column(b.rows());
    for (std::size_t i = 0; i < b.rows(); ++i) column[i] = b(i, c);
    system.solve(column);
    for (std::size_t i = 0; i < b.rows(); ++i) out(i, c) = column[i];
  }
  return out;
}

Matrix<double> multiply(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> out(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) {
      for (std::size_t c = 0; c < b.cols(); ++c) out(i, c) += a(i, k) * b(k, c);
    }
  }
  return out;
}

Matrix<double> transpose(const Matrix<double>& m) {
  Matrix<double> out(m.cols(), m.rows());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.cols(); ++j) out(j, i) = m(i, j);
  }
  return out;
}

/// V⁻¹ − V⁻¹B(B'V⁻¹B)⁻¹B'V⁻¹ applied to b.
Matrix<double> project(const Matrix<double>& v, const Matrix<double>& fixed,
                       const Matrix<double>& b) {
  const Matrix<double> solved = solve_dense(v, b);
  const Matrix<double> with_fixed = solve_dense(v, fixed);
  const Matrix<double> slopes =
      solve_dense(multiply(transpose(fixed), with_fixed), multiply(transpose(fixed), solved));
  const Matrix<double> taken = multiply(with_fixed, slopes);
  Matrix<double> out = solved;
  for (std::size_t k = 0; k < out.values().size(); ++k) out.values()[k] -= taken.values()[k];
  return out;
}

/// A network ridge without undersmoothing, with a treatment model of given variances.
struct JointExample {
  Context context{{.seed = 1, .threads = 1}};
  testing::RidgeWorld world = testing::ridge_world({.nodes = 90, .counts = 8}, 3);
  NetworkRidge ridge;
  TreatmentSlope treatment;
  Vector received;
  Vector outcome;

  explicit JointExample(double slope) {
    const Dataset& data = world.data;
    FitPlan plan;
    FitTask& task = plan.tasks.emplace_back();
    for (std::size_t i = 0; i < data.num_nodes(); ++i) {
      task.fit.push_back(static_cast<NodeIndex>(i));
    }
    NetworkRidgeOptions options;
    options.undersmoothing = 1;
    ridge = learn_network_ridge(context, data, plan, options);
    ArmModel& model = system().arms[kArm];
    model.noise = 0.4;
    model.noise_growth = 0.3;
    for (double& variance : model.group_variances) variance = 0.1;
    const RidgeInputs& inputs = *ridge.inputs;
    const std::size_t n = inputs.num_nodes();
    treatment.slope = slope;
    treatment.other_reasons = system();
    treatment.other_reasons.arms = {ArmModel{}};
    treatment.other_reasons.arms[0].group_variances.assign(system().groups.size(), 0.05);
    treatment.fixed = Matrix<double>(n, model.fixed_columns.size());
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t c = 0; c < model.fixed_columns.size(); ++c) {
        treatment.fixed(p, c) = system().fixed_effect(p, model.fixed_columns[c]);
      }
    }
    for (std::size_t p = 0; p < n; ++p) {
      received.push_back(inputs.arm_of(p) == kArm ? 1 : 0);
      treatment.index.push_back(0.3 * std::sin(static_cast<double>(p)));
      if (received[p] != 0) {
        outcome.push_back((data.outcome[inputs.node_at[p]] - model.mean) / model.sd);
      }
    }
  }

  std::vector<std::size_t> arms() {
    std::vector<std::size_t> out(system().arms.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }

  RidgeSystem& system() { return ridge.parts.front()->system; }

  JointEquations equations(double selected_noise) {
    return {.outcomes = system(),
            .arm = kArm,
            .treatment = treatment,
            .outcome = outcome,
            .received = received,
            .selected_noise = selected_noise};
  }

  Matrix<double> kernel(const RidgeSystem& of, std::size_t arm) const {
    const std::size_t n = received.size();
    Matrix<double> unit(n, n);
    for (std::size_t p = 0; p < n; ++p) unit(p, p) = 1;
    return multiply_kernel(context, of, arm, unit);
  }
};

/// The formulas of docs/joint_model.md for one round, with explicit matrices: predictions by
/// outcomes alone, m and Σ of s given the outcomes, a = P_z(z − θm), Δ = θΣa.
struct DenseReference {
  Vector surprise;
  Vector shift;

  DenseReference(JointExample& example, const Vector& index, double selected_noise) {
    const RidgeSystem& system = example.system();
    const RidgeInputs& inputs = *system.inputs;
    const ArmModel& model = system.arms[kArm];
    const std::size_t n = inputs.num_nodes();
    const double slope = example.treatment.slope;
    std::vector<std::size_t> own;
    Vector noise;
    Vector share;  // δ_i
    for (std::size_t p = 0; p < n; ++p) {
      if (example.received[p] != 0) own.push_back(p);
      noise.push_back(noise_of_position(model, inputs.relative_degree[p], 1));
      share.push_back(selected_noise * model.noise_growth * inputs.relative_degree[p] /
                      noise.back());
    }
    const Matrix<double> kernel = example.kernel(system, kArm);
    const std::size_t m = own.size();
    const std::size_t q = model.fixed_columns.size();
    Matrix<double> v(m, m);
    Matrix<double> reach(n, m);
    Matrix<double> fixed(m, q);
    Matrix<double> all_fixed(n, q);
    Matrix<double> y(m, 1);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) v(i, j) = kernel(own[i], own[j]);
      v(i, i) += noise[own[i]];
      y(i, 0) = example.outcome[i];
      for (std::size_t p = 0; p < n; ++p) reach(p, i) = kernel(p, own[i]);
    }
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t c = 0; c < q; ++c) {
        all_fixed(p, c) = system.fixed_effect(p, model.fixed_columns[c]);
      }
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t c = 0; c < q; ++c) fixed(i, c) = all_fixed(own[i], c);
    }
    // The map from outcomes to predictions, H, and the posterior covariance of f + b'β.
    Matrix<double> unit(m, m);
    for (std::size_t i = 0; i < m; ++i) unit(i, i) = 1;
    const Matrix<double> inverse_fixed = solve_dense(v, fixed);
    const Matrix<double> information = multiply(transpose(fixed), inverse_fixed);
    const Matrix<double> gls = solve_dense(information, transpose(inverse_fixed));  // G
    const Matrix<double> projected = project(v, fixed, unit);                       // P
    Matrix<double> h = multiply(reach, projected);
    const Matrix<double> of_fixed = multiply(all_fixed, gls);
    for (std::size_t k = 0; k < h.values().size(); ++k) h.values()[k] += of_fixed.values()[k];
    // C = K − H·K_J· − (B − ...) in the form E[(f̂ − f)(f̂ − f)'] of unbiased weights:
    // C = K − H K_J· − K_·J H' + H (K_JJ + N) H'.
    const Matrix<double> taken = multiply(h, transpose(reach));
    const Matrix<double> spread = multiply(multiply(h, v), transpose(h));
    Matrix<double> posterior(n, n);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t r = 0; r < n; ++r) {
        posterior(p, r) = kernel(p, r) - taken(p, r) - taken(r, p) + spread(p, r);
      }
    }
    const Matrix<double> predicted = multiply(h, y);
    // s = f + ε' given the outcomes. With C_UJ = H·N and noise N − NPN on J:
    Matrix<double> sigma(n, n);
    Matrix<double> mean(n, 1);
    std::vector<std::size_t> row_of(n, n);
    for (std::size_t i = 0; i < m; ++i) row_of[own[i]] = i;
    for (std::size_t p = 0; p < n; ++p) {
      const bool has_p = example.received[p] != 0;
      mean(p, 0) =
          has_p ? share[p] * y(row_of[p], 0) + (1 - share[p]) * predicted(p, 0) : predicted(p, 0);
      for (std::size_t r = 0; r < n; ++r) {
        const bool has_r = example.received[r] != 0;
        double value = (has_p ? 1 - share[p] : 1) * (has_r ? 1 - share[r] : 1) * posterior(p, r);
        if (p == r) value += share[p] * (has_p ? 1 - share[p] : 1) * noise[p];
        sigma(p, r) = value;
      }
    }
    const WorkingOutcome working(index, example.received);
    Matrix<double> vz = example.kernel(example.treatment.other_reasons, 0);
    Matrix<double> z(n, 1);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t r = 0; r < n; ++r) vz(p, r) += slope * slope * sigma(p, r);
      vz(p, p) += working.noise[p];
      z(p, 0) = working.outcome[p] - slope * mean(p, 0);
    }
    const Matrix<double> a = project(vz, example.treatment.fixed, z);
    const Matrix<double> moved = multiply(sigma, a);
    for (std::size_t p = 0; p < n; ++p) {
      surprise.push_back(a(p, 0));
      shift.push_back(slope * moved(p, 0));
    }
  }
};

/// The log odds after the rounds of the solve: its last working outcomes are those of the fixed
/// point, where another round changes nothing.
Vector find_fixed_point(JointExample& example, double selected_noise) {
  Vector index = example.treatment.index;
  for (int round = 0; round < 60; ++round) {
    const DenseReference reference(example, index, selected_noise);
    const WorkingOutcome working(index, example.received);
    for (std::size_t p = 0; p < index.size(); ++p) {
      index[p] = working.outcome[p] - reference.surprise[p] * working.noise[p];
    }
  }
  return index;
}

TEST(JointSolve, IsTheDenseSolveOfTheFormulas) {
  for (const double selected_noise : {0.0, 0.6, 1.0}) {
    JointExample example(1.3);
    example.treatment.index = find_fixed_point(example, selected_noise);
    const DenseReference reference(example, example.treatment.index, selected_noise);
    const JointSolution solved =
        solve_joint_model(example.context, example.equations(selected_noise), 1e-12);
    ASSERT_TRUE(solved.converged);
    double total = 0;
    for (std::size_t p = 0; p < example.received.size(); ++p) {
      EXPECT_NEAR(solved.surprise[p], reference.surprise[p], 1e-9) << selected_noise;
      total += solved.surprise[p];
    }
    const IterativeSolver solver(example.context, example.system(), example.arms());
    const Vector moved =
        extrapolate(example.context, example.equations(selected_noise), solver, 0, solved.surprise);
    for (std::size_t p = 0; p < moved.size(); ++p) {
      const double expected = example.received[p] != 0 ? 0 : reference.shift[p];
      EXPECT_NEAR(moved[p], expected, 1e-6) << selected_noise;
    }
    EXPECT_NEAR(total, 0, 1e-9) << "b'a = 0";
  }
}

TEST(JointSolve, IsLinearInASmallSlope) {
  JointExample small(1e-4);
  JointExample twice(2e-4);
  small.treatment.index = find_fixed_point(small, 0);
  twice.treatment.index = small.treatment.index;
  const auto move = [](JointExample& example) {
    const JointSolution solved = solve_joint_model(example.context, example.equations(0), 1e-12);
    const IterativeSolver solver(example.context, example.system(), example.arms());
    return extrapolate(example.context, example.equations(0), solver, 0, solved.surprise);
  };
  const Vector one = move(small);
  const Vector two = move(twice);
  for (std::size_t p = 0; p < one.size(); ++p) {
    EXPECT_NEAR(two[p], 2 * one[p], 0.01 * std::abs(one[p]) + 1e-9);
  }
}

}  // namespace
}  // namespace cone
