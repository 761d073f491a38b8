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
  require(kernels.size() == m, "network ridge: kernels of other positions");
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
    LeftOut& left = out.left_out.emplace_back();
    for (std::size_t i = 0; i < m; ++i) {
      if (learns[out.positions[i]] == 0) left.rows.push_back(i);
    }
    left.factor = Matrix<double>(left.rows.size(), left.rows.size());
    for (std::size_t i = 0; i < left.rows.size(); ++i) {
      for (std::size_t j = 0; j < left.rows.size(); ++j) {
        left.factor(i, j) = out.projection(left.rows[i], left.rows[j]);
      }
    }
    require_solution(ops::factorise_cholesky(context, left.factor.view()));
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
  // What f must be at the positions left out for z to vanish there.
  Matrix<double> moved(m, width);
  context.for_each_range(width, 1, [&](std::size_t k, std::size_t) {
    const LeftOut& left = inverse.left_out[tasks[k]];
    std::vector<double> delta(left.rows.size());
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = z(left.rows[i], k);
    solve_lower(left.factor, delta);
    for (std::size_t i = 0; i < delta.size(); ++i) moved(left.rows[i], k) = delta[i];
  });
  const Matrix<double> taken = ops::multiply(context, inverse.projection.view(), moved.view());
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      const bool learns = system_.learns_from[tasks[k]][inverse.positions[i]] != 0;
      out.x(inverse.positions[i], k) = learns ? z(i, k) - taken(i, k) : 0.0;
      sides(i, k) -= moved(i, k);
    }
  }
  // λ = G·f − (B'C⁻¹B)⁻¹g, with f as moved.
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
  require(arms_.size() == system_.arms.size(), "network ridge: an arm was not prepared");
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
