#include <array>
#include <utility>

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/count_products.hpp"
#include "ops/inverse.hpp"

// Products with the equations of an arm, computed from products with the features, the adjacency
// matrix and their transposes only: no kernel matrix is formed.

namespace cone {
namespace {

constexpr std::size_t kEquationRows = 4096;

/// to += scale · from
void add_table(const Context& context, double scale, const Matrix<double>& from,
               Matrix<double>& to) {
  context.for_each_range(from.rows(), kEquationRows, [&](std::size_t begin, std::size_t end) {
    const double* source = from.data() + begin * from.cols();
    double* target = to.data() + begin * to.cols();
    for (std::size_t k = 0; k < (end - begin) * from.cols(); ++k) target[k] += scale * source[k];
  });
}

/// Rows [begin, end) of a table.
MatrixView<const double> view_rows_of(const Matrix<double>& table, std::size_t begin,
                                      std::size_t end) {
  return {table.data() + begin * table.cols(), end - begin, table.cols()};
}

/// A dense table D of own features, and D'V.
struct OwnTable {
  GroupKind kind;
  const Matrix<double>* table;
  Matrix<double> inner;
};

}  // namespace

/// S·(σ²_e·W + σ²_x·X(X'W) + σ²_d·D(D'W)) with W = S'V (see multiply_adjacency): the kernels of
/// neighbour effects and of the neighbours' count (X) and numeric (D) features, times V.
Matrix<double> ArmEquations::multiply_neighbour_kernel(const Context& context,
                                                       const GroupStrengths& strengths,
                                                       const Matrix<double>& v, bool averages,
                                                       BatchedAllreduce& sums) const {
  using enum GroupKind;
  const double effects = strengths[averages ? kMeanNeighbourEffects : kNeighbourEffects];
  const double counts = strengths[averages ? kNeighbourMeansCounts : kNeighbourSumsCounts];
  const double numeric = strengths[averages ? kNeighbourMeansNumeric : kNeighbourSumsNumeric];
  const std::size_t n = tables_.num_positions();
  const Matrix<double>& table = *tables_.numeric;
  Matrix<double> w = multiply_adjacency_transposed(context, v, averages);
  const bool has_numeric = numeric > 0 && table.cols() > 0;
  Matrix<double> by_counts;
  Matrix<double> by_numeric;
  if (counts > 0) by_counts = multiply_counts_transposed(context, *tables_.counts, 0, n, w.view());
  if (has_numeric) by_numeric = ops::multiply_transposed(context, table.view(), w.view());
  sums.add(by_counts.values());
  sums.add(by_numeric.values());
  sums.finish();
  if (counts > 0) by_counts = multiply_counts(context, *tables_.counts, 0, n, by_counts.view());
  if (has_numeric) by_numeric = ops::multiply(context, table.view(), by_numeric.view());
  context.for_each_range(n, kEquationRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin * w.cols(); k < end * w.cols(); ++k) {
      double value = effects * w.data()[k];
      if (counts > 0) value += counts * by_counts.data()[k];
      if (has_numeric) value += numeric * by_numeric.data()[k];
      w.data()[k] = value;
    }
  });
  return multiply_adjacency(context, averages, w);
}

Matrix<double> ArmEquations::multiply_kernel(const Context& context,
                                             const GroupStrengths& strengths,
                                             const Matrix<double>& v) const {
  const std::size_t end = first_ + count_;
  const double own_counts = strengths[GroupKind::kOwnCounts];
  // Deferred so that the sums of own and of neighbour features share one allreduce.
  BatchedAllreduce sums(comm());
  Matrix<double> by_counts;
  if (own_counts > 0)
    by_counts = multiply_counts_transposed(context, *tables_.counts, first_, end, v.view());
  sums.add(by_counts.values());
  std::array<OwnTable, 3> own{{{GroupKind::kOwnNumeric, tables_.numeric, {}},
                               {GroupKind::kOwnSmooth, tables_.smooth, {}},
                               {GroupKind::kOwnCurves, tables_.curves, {}}}};
  for (OwnTable& part : own) {
    if (strengths[part.kind] == 0 || part.table->cols() == 0) continue;
    part.inner =
        ops::multiply_transposed(context, view_rows_of(*part.table, first_, end), v.view());
    sums.add(part.inner.values());
  }
  Matrix<double> by_communities;
  if (strengths.communities()) {
    by_communities = tables_.communities->sum_members(context, first_, end, v.view());
    sums.add(by_communities.values());
  }
  Matrix<double> out;
  if (strengths.sums()) {
    out = multiply_neighbour_kernel(context, strengths, v, /*averages=*/false, sums);
  } else {
    out = Matrix<double>(count_, v.cols());
  }
  if (strengths.means()) {
    add_table(context, 1, multiply_neighbour_kernel(context, strengths, v, /*averages=*/true, sums),
              out);
  }
  sums.finish();
  if (own_counts > 0) {
    add_table(context, own_counts,
              multiply_counts(context, *tables_.counts, first_, end, by_counts.view()), out);
  }
  if (strengths.communities()) {
    tables_.communities->scale(strengths, by_communities);
    add_table(context, 1,
              multiply_counts(context, tables_.communities->indicators(), first_, end,
                              by_communities.view()),
              out);
  }
  for (const OwnTable& part : own) {
    if (part.inner.rows() == 0) continue;
    add_table(context, strengths[part.kind],
              ops::multiply(context, view_rows_of(*part.table, first_, end), part.inner.view()),
              out);
  }
  return out;
}

Matrix<double> ArmEquations::multiply(const Context& context, std::span<const std::size_t> tasks,
                                      const Matrix<double>& x) const {
  Matrix<double> out = multiply_kernel(context, strengths_, x);
  context.for_each_range(count_, kEquationRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t k = 0; k < out.cols(); ++k) {
        out(row, k) = learns(tasks[k], row) ? out(row, k) + noise_[row] * x(row, k) : 0.0;
      }
    }
  });
  return out;
}

RidgeSides ArmEquations::find_residual(const Context& context, RidgeSides sides,
                                       std::span<const std::size_t> tasks,
                                       const RidgeSolution& at) const {
  constexpr std::size_t kNumFixed = RidgeSystem::kNumFixed;
  const Matrix<double> product = multiply(context, tasks, at.x);
  const auto parts = context.map_ranges<Matrix<double>>(
      count_, kEquationRows, [&](std::size_t begin, std::size_t end) {
        Matrix<double> sums(kNumFixed, at.x.cols());
        for (std::size_t row = begin; row < end; ++row) {
          for (std::size_t k = 0; k < product.cols(); ++k) {
            if (!learns(tasks[k], row)) continue;
            sides.f(row, k) -= product(row, k);
            for (std::size_t c = 0; c < kNumFixed; ++c) {
              const double effect = fixed_effect(row, c);
              sides.f(row, k) -= effect * at.lambda(c, k);
              sums(c, k) += effect * at.x(row, k);
            }
          }
        }
        return sums;
      });
  // All ranks have the same g, which the allreduce must add once.
  if (comm().rank() > 0) sides.g = Matrix<double>(kNumFixed, at.x.cols());
  for (const Matrix<double>& part : parts) {
    for (std::size_t k = 0; k < part.values().size(); ++k) {
      sides.g.values()[k] -= part.values()[k];
    }
  }
  comm().allreduce(sides.g.values());
  return sides;
}

}  // namespace cone
