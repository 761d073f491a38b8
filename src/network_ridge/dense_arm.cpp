#include "network_ridge/dense_arm.hpp"

#include "cone/error.hpp"

#include "network_ridge/learn_arm.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {

DenseArm::DenseArm(const Context& context, const RidgeSystem& system, std::size_t arm,
                   const ArmKernels& kernels)
    : fixed_columns_(system.arms[arm].fixed_columns) {
  const std::vector<std::uint32_t> positions = system.positions_of_arm(arm);
  const ArmModel& model = system.arms[arm];
  const std::size_t m = positions.size();
  const std::size_t q = fixed_columns_.size();
  require(kernels.size() == m, "network ridge: the kernels are not of the arm's positions");
  std::vector<double> noise(m);
  for (std::size_t i = 0; i < m; ++i) noise[i] = system.noise_at(positions[i]);
  const Matrix<double> fixed = take_fixed(*system.inputs, positions, fixed_columns_);
  {
    Matrix<double> factor = sum_kernels(context, kernels, model.group_variances, noise);
    require_solution(ops::factorise_cholesky(context, factor.view()));
    projection_ = ops::invert_from_cholesky(context, factor.view());
  }
  const Matrix<double> solved = ops::multiply(context, projection_.view(), fixed.view());
  SmallSystem small(q);
  small.matrix = ops::multiply_transposed(context, fixed.view(), solved.view());
  require_solution(small.factorise());
  fixed_inverse_ = Matrix<double>(q, q);
  for (std::size_t c = 0; c < q; ++c) {
    std::vector<double> unit(q, 0.0);
    unit[c] = 1;
    small.solve(unit);
    for (std::size_t r = 0; r < q; ++r) fixed_inverse_(r, c) = unit[r];
  }
  fixed_map_ = ops::multiply(context, solved.view(), fixed_inverse_.view());
  constexpr std::size_t kRows = 64;
  context.for_each_range(m, kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        double taken = 0;
        for (std::size_t c = 0; c < q; ++c) taken += fixed_map_(i, c) * solved(j, c);
        projection_(i, j) -= taken;
      }
    }
  });
  for (const std::vector<char>& learns : system.learns_from) {
    Task& task = tasks_.emplace_back();
    for (std::size_t i = 0; i < m; ++i) {
      task.learns.push_back(learns[positions[i]]);
      if (task.learns[i] == 0) task.held_out.push_back(i);
    }
    const std::vector<std::size_t>& held_out = task.held_out;
    task.factor = Matrix<double>(held_out.size(), held_out.size());
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      for (std::size_t j = 0; j < held_out.size(); ++j) {
        task.factor(i, j) = projection_(held_out[i], held_out[j]);
      }
    }
    require_solution(ops::factorise_cholesky(context, task.factor.view()));
  }
}

RidgeSolution DenseArm::solve(const Context& context, const Matrix<double>& f,
                              const Matrix<double>& g, std::span<const std::size_t> tasks) const {
  const std::vector<std::size_t>& kept = fixed_columns_;
  const std::size_t m = size();
  const std::size_t width = f.cols();
  Matrix<double> sides = f;
  // z = Pf + G'g as if every position were learnt from.
  Matrix<double> z = ops::multiply(context, projection_.view(), sides.view());
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t c = 0; c < kept.size(); ++c) z(i, k) += fixed_map_(i, c) * g(kept[c], k);
    }
  }
  // The shift of f at the held-out positions that makes z vanish there.
  Matrix<double> shift(m, width);
  context.for_each_range(width, 1, [&](std::size_t k, std::size_t) {
    const Task& task = tasks_[tasks[k]];
    std::vector<double> delta(task.held_out.size());
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = z(task.held_out[i], k);
    solve_lower(task.factor, delta);
    for (std::size_t i = 0; i < delta.size(); ++i) shift(task.held_out[i], k) = delta[i];
  });
  const Matrix<double> taken = ops::multiply(context, projection_.view(), shift.view());
  RidgeSolution out{.x = Matrix<double>(m, width), .lambda = Matrix<double>(g.rows(), width)};
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      out.x(i, k) = tasks_[tasks[k]].learns[i] != 0 ? z(i, k) - taken(i, k) : 0.0;
      sides(i, k) -= shift(i, k);
    }
  }
  // λ = G·f − (B'C⁻¹B)⁻¹g, with the shifted f.
  const Matrix<double> mapped = ops::multiply_transposed(context, fixed_map_.view(), sides.view());
  for (std::size_t c = 0; c < kept.size(); ++c) {
    for (std::size_t k = 0; k < width; ++k) {
      double value = mapped(c, k);
      for (std::size_t r = 0; r < kept.size(); ++r) value -= fixed_inverse_(c, r) * g(kept[r], k);
      out.lambda(kept[c], k) = value;
    }
  }
  return out;
}

}  // namespace cone
