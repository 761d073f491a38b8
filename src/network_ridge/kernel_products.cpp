#include "network_ridge/kernel_products.hpp"

#include <array>

#include "exec/statistics.hpp"
#include "network_ridge/count_products.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kProductRows = 4096;

/// to += scale · from
void add_table(const Context& context, double scale, const Matrix<double>& from,
               Matrix<double>& to) {
  context.for_each_range(from.rows(), kProductRows, [&](std::size_t begin, std::size_t end) {
    const double* source = from.data() + begin * from.cols();
    double* target = to.data() + begin * to.cols();
    for (std::size_t k = 0; k < (end - begin) * from.cols(); ++k) target[k] += scale * source[k];
  });
}

/// The rows of a table for the positions of the range.
MatrixView<const double> view_rows_of(const Matrix<double>& table, const PositionRange& range) {
  return {table.data() + range.begin() * table.cols(), range.size(), table.cols()};
}

/// A dense table D of own features, and D'V.
struct OwnTable {
  GroupKind kind;
  const Matrix<double>* table;
  Matrix<double> inner;
};

/// S·(σ²_e·W + σ²_x·X(X'W) + σ²_d·D(D'W)) with W = S'V (see PositionRange): the kernels of
/// neighbour effects and of the neighbours' count (X) and numeric (D) features, times V.
Matrix<double> multiply_neighbour_kernel(const Context& context, const RidgeInputs& inputs,
                                         const GroupStrengths& strengths, const PositionRange& from,
                                         const PositionRange& to, const Matrix<double>& v,
                                         bool averages, BatchedAllreduce& sums) {
  using enum GroupKind;
  const double effects = strengths[averages ? kMeanNeighbourEffects : kNeighbourEffects];
  const double counts = strengths[averages ? kNeighbourMeansCounts : kNeighbourSumsCounts];
  const double numeric = strengths[averages ? kNeighbourMeansNumeric : kNeighbourSumsNumeric];
  const std::size_t n = inputs.num_nodes();
  Matrix<double> w = from.spread_to_neighbours(context, v, averages);
  const bool has_numeric = numeric > 0 && inputs.numeric.cols() > 0;
  Matrix<double> by_counts;
  Matrix<double> by_numeric;
  if (counts > 0) by_counts = multiply_counts_transposed(context, inputs.counts, 0, n, w.view());
  if (has_numeric) {
    by_numeric = ops::multiply_transposed(context, inputs.numeric.view(), w.view());
  }
  sums.add(by_counts.values());
  sums.add(by_numeric.values());
  sums.finish();
  if (counts > 0) by_counts = multiply_counts(context, inputs.counts, 0, n, by_counts.view());
  if (has_numeric) by_numeric = ops::multiply(context, inputs.numeric.view(), by_numeric.view());
  context.for_each_range(n, kProductRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin * w.cols(); k < end * w.cols(); ++k) {
      double value = effects * w.data()[k];
      if (counts > 0) value += counts * by_counts.data()[k];
      if (has_numeric) value += numeric * by_numeric.data()[k];
      w.data()[k] = value;
    }
  });
  return to.sum_over_neighbours(context, w, averages);
}

}  // namespace

Matrix<double> multiply_kernel(const Context& context, const RidgeInputs& inputs,
                               const GroupStrengths& strengths, const PositionRange& from,
                               const PositionRange& to, const Matrix<double>& v) {
  const double own_counts = strengths[GroupKind::kOwnCounts];
  // Deferred so that the sums of own and of neighbour features share one allreduce.
  BatchedAllreduce sums(*inputs.comm);
  Matrix<double> by_counts;
  if (own_counts > 0) {
    by_counts =
        multiply_counts_transposed(context, inputs.counts, from.begin(), from.end(), v.view());
  }
  sums.add(by_counts.values());
  std::array<OwnTable, 3> own{{{GroupKind::kOwnNumeric, &inputs.numeric, {}},
                               {GroupKind::kOwnSmooth, &inputs.smooth, {}},
                               {GroupKind::kOwnCurves, &inputs.curves, {}}}};
  for (OwnTable& part : own) {
    if (strengths[part.kind] == 0 || part.table->cols() == 0) continue;
    part.inner = ops::multiply_transposed(context, view_rows_of(*part.table, from), v.view());
    sums.add(part.inner.values());
  }
  Matrix<double> by_communities;
  if (strengths.communities()) {
    by_communities = inputs.communities.sum_members(context, from.begin(), from.end(), v.view());
    sums.add(by_communities.values());
  }
  Matrix<double> out;
  if (strengths.sums()) {
    out = multiply_neighbour_kernel(context, inputs, strengths, from, to, v, /*averages=*/false,
                                    sums);
  } else {
    out = Matrix<double>(to.size(), v.cols());
  }
  if (strengths.means()) {
    add_table(
        context, 1,
        multiply_neighbour_kernel(context, inputs, strengths, from, to, v, /*averages=*/true, sums),
        out);
  }
  sums.finish();
  if (own_counts > 0) {
    add_table(context, own_counts,
              multiply_counts(context, inputs.counts, to.begin(), to.end(), by_counts.view()), out);
  }
  if (strengths.communities()) {
    inputs.communities.scale(strengths, by_communities);
    add_table(context, 1,
              multiply_counts(context, inputs.communities.indicators(), to.begin(), to.end(),
                              by_communities.view()),
              out);
  }
  for (const OwnTable& part : own) {
    if (part.inner.rows() == 0) continue;
    add_table(context, strengths[part.kind],
              ops::multiply(context, view_rows_of(*part.table, to), part.inner.view()), out);
  }
  return out;
}

Matrix<double> multiply_kernel(const Context& context, const RidgeSystem& system, std::size_t arm,
                               const Matrix<double>& v) {
  const PositionRange all(*system.inputs);
  const GroupStrengths strengths(system.groups, system.arms[arm]);
  return multiply_kernel(context, *system.inputs, strengths, all, all, v);
}

Matrix<double> take_arm_rows(const RidgeInputs& inputs, const Matrix<double>& x, std::size_t arm) {
  Matrix<double> own(x.rows(), x.cols());
  for (std::size_t p = inputs.arm_begin[arm]; p < inputs.arm_begin[arm + 1]; ++p) {
    std::ranges::copy(x.row(p), own.row(p).begin());
  }
  return own;
}

Matrix<double> predict_in_units(const Context& context, const RidgeSystem& system,
                                const RidgeSolution& solution, std::size_t arm) {
  Matrix<double> out =
      multiply_kernel(context, system, arm, take_arm_rows(*system.inputs, solution.x, arm));
  for (std::size_t p = 0; p < out.rows(); ++p) {
    for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
      const double effect = system.fixed_effect(p, c);
      const std::span<const double> slopes = solution.lambda.row(arm * RidgeSystem::kNumFixed + c);
      for (std::size_t k = 0; k < out.cols(); ++k) out(p, k) += effect * slopes[k];
    }
  }
  return out;
}

}  // namespace cone
