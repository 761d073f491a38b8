#include "network_ridge/arm_equations.hpp"

#include <algorithm>
#include <utility>

#include "network_ridge/word_products.hpp"
#include "ops/inverse.hpp"
#include "ops/neighbour_sums.hpp"

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

/// scale·D(D'V) for rows D of a table.
void add_columns(const Context& context, MatrixView<const double> table, double scale,
                 const Matrix<double>& v, Matrix<double>& out) {
  if (scale == 0 || table.cols() == 0) return;
  const Matrix<double> inner = ops::multiply_transposed(context, table, v.view());
  add_table(context, scale, ops::multiply(context, table, inner.view()), out);
}

/// friends·W + words·X(X'W) + columns·D(D'W), in the place of W: what friends pass on.
void pass_on_to_friends(const Context& context, const RidgeInputs& inputs, double friends,
                        double words, double columns, Matrix<double>& w) {
  const std::size_t n = inputs.num_nodes();
  Matrix<double> by_words;
  Matrix<double> by_columns;
  if (words > 0) {
    const Matrix<double> inner = gather_by_words(context, inputs, 0, n, w.view());
    by_words = spread_by_words(context, inputs, 0, n, inner.view());
  }
  if (columns > 0 && inputs.columns.cols() > 0) {
    const Matrix<double> inner = ops::multiply_transposed(context, inputs.columns.view(), w.view());
    by_columns = ops::multiply(context, inputs.columns.view(), inner.view());
  }
  context.for_each_range(n, kEquationRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin * w.cols(); k < end * w.cols(); ++k) {
      double value = friends * w.data()[k];
      if (by_words.rows() > 0) value += words * by_words.data()[k];
      if (by_columns.rows() > 0) value += columns * by_columns.data()[k];
      w.data()[k] = value;
    }
  });
}

}  // namespace

ArmEquations::ArmEquations(const Context& context, const RidgeSystem& system, std::size_t arm)
    : system_(system),
      arm_(arm),
      first_(system.inputs->arm_begin[arm]),
      count_(system.inputs->arm_begin[arm + 1] - system.inputs->arm_begin[arm]),
      strengths_(system, arm) {
  const RidgeInputs& inputs = *system.inputs;
  noise_.reserve(count_);
  for (std::size_t row = 0; row < count_; ++row) {
    noise_.push_back(noise_of_place(system.arms[arm], inputs.relative_degree[first_ + row],
                                    system.undersmoothing));
  }
  const std::size_t n = inputs.num_nodes();
  const auto list_of = [&](std::size_t place) {
    const std::uint64_t* split = &inputs.arm_split[place * inputs.num_arms() + arm];
    return inputs.graph.neighbours().subspan(split[0], split[1] - split[0]);
  };
  offsets_.assign(n + 1, 0);
  for (std::size_t p = 0; p < n; ++p) offsets_[p + 1] = offsets_[p] + list_of(p).size();
  rows_.resize(offsets_.back());
  context.for_each_range(n, kEquationRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::uint64_t at = offsets_[p];
      for (const std::uint32_t place : list_of(p)) {
        rows_[at++] = static_cast<std::uint32_t>(place - first_);
      }
    }
  });
}

bool ArmEquations::learns_at_all(std::size_t row) const {
  return std::any_of(system_.learns_from.begin(), system_.learns_from.end(),
                     [&](const std::vector<char>& task) { return task[first_ + row] != 0; });
}

Matrix<double> ArmEquations::send_to_friends(const Context& context,
                                             const Matrix<double>& v) const {
  auto out = Matrix<double>::unfilled(system_.inputs->num_nodes(), v.cols());
  ops::sum_listed_rows(context, offsets_, rows_, v.view(), out.view());
  return out;
}

Matrix<double> ArmEquations::sum_over_friends(const Context& context,
                                              MatrixView<const double> w) const {
  const Graph& graph = system_.inputs->graph;
  auto out = Matrix<double>::unfilled(count_, w.cols());
  ops::sum_listed_rows(context, graph.offsets().subspan(first_, count_ + 1), graph.neighbours(), w,
                       out.view());
  return out;
}

Matrix<double> ArmEquations::divide_by_degree(const Context& context, Matrix<double> v) const {
  context.for_each_range(count_, kEquationRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const double factor = system_.inputs->inverse_degree[first_ + row];
      for (double& value : v.row(row)) value *= factor;
    }
  });
  return v;
}

Matrix<double> ArmEquations::multiply_kernel(const Context& context,
                                             const GroupStrengths& strengths,
                                             const Matrix<double>& v) const {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t end = first_ + count_;
  Matrix<double> out;
  if (strengths.sums()) {
    Matrix<double> w = send_to_friends(context, v);
    pass_on_to_friends(context, inputs, strengths[GroupKind::kSumFriends],
                       strengths[GroupKind::kSumWords], strengths[GroupKind::kSumColumns], w);
    out = sum_over_friends(context, w.view());
  } else {
    out = Matrix<double>(count_, v.cols());
  }
  if (strengths.means()) {
    Matrix<double> w = send_to_friends(context, divide_by_degree(context, v));
    pass_on_to_friends(context, inputs, strengths[GroupKind::kMeanFriends],
                       strengths[GroupKind::kMeanWords], strengths[GroupKind::kMeanColumns], w);
    add_table(context, 1, divide_by_degree(context, sum_over_friends(context, w.view())), out);
  }
  if (strengths[GroupKind::kOwnWords] > 0) {
    const Matrix<double> inner = gather_by_words(context, inputs, first_, end, v.view());
    add_table(context, strengths[GroupKind::kOwnWords],
              spread_by_words(context, inputs, first_, end, inner.view()), out);
  }
  add_columns(context, view_rows_of(inputs.columns, first_, end), strengths[GroupKind::kOwnColumns],
              v, out);
  add_columns(context, view_rows_of(inputs.smooth, first_, end), strengths[GroupKind::kOwnSmooth],
              v, out);
  add_columns(context, view_rows_of(inputs.curves, first_, end), strengths[GroupKind::kOwnCurves],
              v, out);
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
              const double effect = system_.fixed_effect(first_ + row, c);
              sides.f(row, k) -= effect * at.lambda(c, k);
              sums(c, k) += effect * at.x(row, k);
            }
          }
        }
        return sums;
      });
  for (const Matrix<double>& part : parts) {
    for (std::size_t k = 0; k < part.values().size(); ++k) {
      sides.g.values()[k] -= part.values()[k];
    }
  }
  return sides;
}

}  // namespace cone
