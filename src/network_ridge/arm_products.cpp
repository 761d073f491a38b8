#include <array>
#include <utility>

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/word_products.hpp"
#include "ops/inverse.hpp"

// Products with the equations of an arm: by nothing but products with the features, the network and
// their transposes.

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

/// A table of own features, and D'V.
struct OwnColumns {
  GroupKind kind;
  const Matrix<double>* table;
  Matrix<double> inner;
};

}  // namespace

/// A·(neighbours·W + words·X(X'W) + columns·D(D'W)), where W is what the arm sends to its
/// neighbours.
Matrix<double> ArmEquations::pass_through_neighbours(const Context& context,
                                                     const GroupStrengths& strengths,
                                                     const Matrix<double>& v, bool averages,
                                                     WaitingSums& sums) const {
  using enum GroupKind;
  const double neighbours = strengths[averages ? kMeanNeighbourEffects : kNeighbourEffects];
  const double words = strengths[averages ? kNeighbourMeansCounts : kNeighbourSumsCounts];
  const double columns = strengths[averages ? kNeighbourMeansNumeric : kNeighbourSumsNumeric];
  const std::size_t n = tables_.num_positions();
  const Matrix<double>& measured = *tables_.columns;
  Matrix<double> w = send_to_neighbours(context, v, averages);
  const bool has_columns = columns > 0 && measured.cols() > 0;
  Matrix<double> by_words;
  Matrix<double> by_columns;
  if (words > 0) by_words = gather_by_words(context, *tables_.words, 0, n, w.view());
  if (has_columns) by_columns = ops::multiply_transposed(context, measured.view(), w.view());
  sums.add(by_words.values());
  sums.add(by_columns.values());
  sums.finish();
  if (words > 0) by_words = spread_by_words(context, *tables_.words, 0, n, by_words.view());
  if (has_columns) by_columns = ops::multiply(context, measured.view(), by_columns.view());
  context.for_each_range(n, kEquationRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin * w.cols(); k < end * w.cols(); ++k) {
      double value = neighbours * w.data()[k];
      if (words > 0) value += words * by_words.data()[k];
      if (has_columns) value += columns * by_columns.data()[k];
      w.data()[k] = value;
    }
  });
  return sum_over_neighbours(context, averages, w);
}

Matrix<double> ArmEquations::multiply_kernel(const Context& context,
                                             const GroupStrengths& strengths,
                                             const Matrix<double>& v) const {
  const std::size_t end = first_ + count_;
  const double own_words = strengths[GroupKind::kOwnCounts];
  // Sums of own features wait for those of neighbours, to go in one message.
  WaitingSums sums(totals());
  Matrix<double> by_words;
  if (own_words > 0) by_words = gather_by_words(context, *tables_.words, first_, end, v.view());
  sums.add(by_words.values());
  std::array<OwnColumns, 3> own{{{GroupKind::kOwnNumeric, tables_.columns, {}},
                                 {GroupKind::kOwnSmooth, tables_.smooth, {}},
                                 {GroupKind::kOwnCurves, tables_.curves, {}}}};
  for (OwnColumns& part : own) {
    if (strengths[part.kind] == 0 || part.table->cols() == 0) continue;
    part.inner =
        ops::multiply_transposed(context, view_rows_of(*part.table, first_, end), v.view());
    sums.add(part.inner.values());
  }
  Matrix<double> out;
  if (strengths.sums()) {
    out = pass_through_neighbours(context, strengths, v, /*averages=*/false, sums);
  } else {
    out = Matrix<double>(count_, v.cols());
  }
  if (strengths.means()) {
    add_table(context, 1, pass_through_neighbours(context, strengths, v, /*averages=*/true, sums),
              out);
  }
  sums.finish();
  if (own_words > 0) {
    add_table(context, own_words,
              spread_by_words(context, *tables_.words, first_, end, by_words.view()), out);
  }
  for (const OwnColumns& part : own) {
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
  // All processes have the same g; it counts once.
  if (totals().rank() > 0) sides.g = Matrix<double>(kNumFixed, at.x.cols());
  for (const Matrix<double>& part : parts) {
    for (std::size_t k = 0; k < part.values().size(); ++k) {
      sides.g.values()[k] -= part.values()[k];
    }
  }
  totals().allreduce(sides.g.values());
  return sides;
}

}  // namespace cone
