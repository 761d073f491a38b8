#include "network_ridge/dense_solver.hpp"

#include "cone/error.hpp"

#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {

void DenseSolver::prepare_arm(const Context& context, std::size_t arm, const ArmKernels& kernels) {
  ArmInverse out;
  out.positions = system_.positions_of_arm(arm);
  const ArmModel& model = system_.arms[arm];
  const std::size_t m = out.positions.size();
  const std::size_t q = model.fixed_columns.size();
  require(kernels.size() == m, "network ridge: the kernels are not of the arm's positions");
  std::vector<double> noise(m);
  Matrix<double> fixed(m, q);
  for (std::size_t i = 0; i < m; ++i) {
    noise[i] = system_.noise_at(out.positions[i]);
    for (std::size_t c = 0; c < q; ++c) {
      fixed(i, c) = system_.fixed_effect(out.positions[i], model.fixed_columns[c]);
    }
  }
  {
    Matrix<double> factor = sum_kernels(context, kernels, model.group_variances, noise);
    require_solution(ops::factorise_cholesky(context, factor.view()));
    out.projection = ops::invert_from_cholesky(context, factor.view());
  }
  const Matrix<double> solved = ops::multiply(context, out.projection.view(), fixed.view());
  const Matrix<double> products = ops::multiply_transposed(context, fixed.view(), solved.view());
  SmallSystem small(q);
  small.matrix = products;
  require_solution(small.factorise());
  out.fixed_inverse = Matrix<double>(q, q);
  for (std::size_t c = 0; c < q; ++c) {
    std::vector<double> unit(q, 0.0);
    unit[c] = 1;
    small.solve(unit);
    for (std::size_t r = 0; r < q; ++r) out.fixed_inverse(r, c) = unit[r];
  }
  out.fixed_map = ops::multiply(context, solved.view(), out.fixed_inverse.view());
  constexpr std::size_t kRows = 64;
  context.for_each_range(m, kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        double taken = 0;
        for (std::size_t c = 0; c < q; ++c) taken += out.fixed_map(i, c) * solved(j, c);
        out.projection(i, j) -= taken;
      }
    }
  });
  for (const std::vector<char>& learns : system_.learns_from) {
    HeldOut& held = out.held_out.emplace_back();
    for (std::size_t i = 0; i < m; ++i) {
      if (learns[out.positions[i]] == 0) held.rows.push_back(i);
    }
    held.factor = Matrix<double>(held.rows.size(), held.rows.size());
    for (std::size_t i = 0; i < held.rows.size(); ++i) {
      for (std::size_t j = 0; j < held.rows.size(); ++j) {
        held.factor(i, j) = out.projection(held.rows[i], held.rows[j]);
      }
    }
    require_solution(ops::factorise_cholesky(context, held.factor.view()));
  }
  require(arms_.size() == arm, "network ridge: arms out of order");
  arms_.push_back(std::move(out));
}

void DenseSolver::solve_arm(const Context& context, std::size_t arm, const Matrix<double>& f,
                            const Matrix<double>& g, std::span<const std::size_t> tasks,
                            RidgeSolution& out) const {
  const ArmInverse& inverse = arms_[arm];
  const std::vector<std::size_t>& kept = system_.arms[arm].fixed_columns;
  const std::size_t m = inverse.positions.size();
  const std::size_t width = f.cols();
  const auto g_row = [&](std::size_t c) { return arm * RidgeSystem::kNumFixed + kept[c]; };
  Matrix<double> sides(m, width);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < width; ++k) sides(i, k) = f(inverse.positions[i], k);
  }
  // z = Pf + G'g as if every position were learnt from.
  Matrix<double> z = ops::multiply(context, inverse.projection.view(), sides.view());
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t c = 0; c < kept.size(); ++c) {
        z(i, k) += inverse.fixed_map(i, c) * g(g_row(c), k);
      }
    }
  }
  // The shift of f at the held-out positions that makes z vanish there.
  Matrix<double> shift(m, width);
  context.for_each_range(width, 1, [&](std::size_t k, std::size_t) {
    const HeldOut& held = inverse.held_out[tasks[k]];
    std::vector<double> delta(held.rows.size());
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = z(held.rows[i], k);
    solve_lower(held.factor, delta);
    for (std::size_t i = 0; i < delta.size(); ++i) shift(held.rows[i], k) = delta[i];
  });
  const Matrix<double> taken = ops::multiply(context, inverse.projection.view(), shift.view());
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      const bool learns = system_.learns_from[tasks[k]][inverse.positions[i]] != 0;
      out.x(inverse.positions[i], k) = learns ? z(i, k) - taken(i, k) : 0.0;
      sides(i, k) -= shift(i, k);
    }
  }
  // λ = G·f − (B'C⁻¹B)⁻¹g, with the shifted f.
  const Matrix<double> mapped =
      ops::multiply_transposed(context, inverse.fixed_map.view(), sides.view());
  for (std::size_t c = 0; c < kept.size(); ++c) {
    for (std::size_t k = 0; k < width; ++k) {
      double value = mapped(c, k);
      for (std::size_t r = 0; r < kept.size(); ++r) {
        value -= inverse.fixed_inverse(c, r) * g(g_row(r), k);
      }
      out.lambda(g_row(c), k) = value;
    }
  }
}

RidgeSolution DenseSolver::solve_roughly(const Context& context, const Matrix<double>& f,
                                         const Matrix<double>& g,
                                         std::span<const std::size_t> tasks) const {
  require(arms_.size() == system_.arms.size(), "network ridge: an arm has not been prepared");
  RidgeSolution out;
  out.x = Matrix<double>(f.rows(), f.cols());
  out.lambda = Matrix<double>(g.rows(), g.cols());
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) solve_arm(context, arm, f, g, tasks, out);
  return out;
}

RidgeSolution DenseSolver::solve(const Context& context, const Matrix<double>& f,
                                 const Matrix<double>& g,
                                 std::span<const std::size_t> tasks) const {
  return solve_twice(context, system_, {f, g}, tasks, [&](const RidgeSides& sides) {
    return solve_roughly(context, sides.f, sides.g, tasks);
  });
}

}  // namespace cone
