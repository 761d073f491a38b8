#include <algorithm>

#include "network_ridge/group_strengths.hpp"
#include "network_ridge/ridge_system.hpp"
#include "ops/inverse.hpp"
#include "ops/neighbour_sums.hpp"
#include "ops/sparse.hpp"

// Products with the kernels, by nothing but products with the features, the network and their
// transposes.

namespace cone {
namespace {

constexpr std::size_t kProductRowsPerPiece = 4096;

ops::SparseView<double> view_rows(const SparseMatrix& m, std::size_t begin, std::size_t end) {
  return {m.cols(), m.offsets().subspan(begin, end - begin + 1), m.columns(), m.values()};
}

/// out += scale · m
void add_scaled(const Context& context, double scale, MatrixView<const double> m,
                MatrixView<double> out) {
  context.for_each_range(m.rows(), kProductRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double* from = m.data() + i * m.stride();
      double* to = out.data() + i * out.stride();
      for (std::size_t c = 0; c < m.cols(); ++c) to[c] += scale * from[c];
    }
  });
}

/// Rows of a view, or every step-th of them.
template <class T>
MatrixView<T> slice(MatrixView<T> m, std::size_t begin, std::size_t end) {
  return {m.data() + begin * m.stride(), end - begin, m.cols(), m.stride()};
}

/// out += scale · X[begin, end)·T, T: words × columns.
void add_words(const Context& context, const RidgeInputs& inputs, std::size_t begin,
               std::size_t end, double scale, MatrixView<const double> t, MatrixView<double> out) {
  auto product = Matrix<double>::unfilled(end - begin, t.cols());
  ops::sparse_times_dense(context, view_rows(inputs.words, begin, end), t, product.view());
  add_scaled(context, scale, product.view(), out);
}

/// out[begin, end) += scale · D·(D'·V[from, to)) for a dense table D.
void add_dense(const Context& context, const Matrix<double>& table, std::size_t begin,
               std::size_t end, double scale, MatrixView<const double> v, std::size_t from,
               std::size_t to, MatrixView<double> out) {
  if (scale == 0 || table.cols() == 0) return;
  const Matrix<double> inner =
      ops::multiply_transposed(context, slice(table.view(), from, to), slice(v, from, to));
  const Matrix<double> product =
      ops::multiply(context, slice(table.view(), begin, end), inner.view());
  add_scaled(context, scale, product.view(), slice(out, begin, end));
}

/// friends·W + words·X(X'W) + columns·D(D'W), in the place of W: what the neighbours pass on.
void pass_on(const Context& context, const RidgeInputs& inputs, double friends, double words,
             double columns, MatrixView<double> w) {
  const std::size_t n = inputs.num_nodes();
  Matrix<double> lifted(n, w.cols());
  if (words > 0) {
    auto inner = Matrix<double>::unfilled(inputs.words.cols(), w.cols());
    ops::sparse_times_dense(context, view_rows(inputs.places_of_words, 0, inputs.words.cols()),
                            MatrixView<const double>(w), inner.view());
    add_words(context, inputs, 0, n, words, inner.view(), lifted.view());
  }
  add_dense(context, inputs.columns, 0, n, columns, w, 0, n, lifted.view());
  context.for_each_range(n, kProductRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double* row = w.data() + i * w.stride();
      for (std::size_t c = 0; c < w.cols(); ++c) row[c] = friends * row[c] + lifted(i, c);
    }
  });
}

void pass_on_sums(const Context& context, const RidgeInputs& inputs, const GroupStrengths& s,
                  MatrixView<double> w) {
  pass_on(context, inputs, s[GroupKind::kSumFriends], s[GroupKind::kSumWords],
          s[GroupKind::kSumColumns], w);
}

void pass_on_means(const Context& context, const RidgeInputs& inputs, const GroupStrengths& s,
                   MatrixView<double> w) {
  pass_on(context, inputs, s[GroupKind::kMeanFriends], s[GroupKind::kMeanWords],
          s[GroupKind::kMeanColumns], w);
}

Matrix<double> divide_by_degree(const Context& context, const RidgeInputs& inputs,
                                const Matrix<double>& v) {
  auto out = Matrix<double>::unfilled(v.rows(), v.cols());
  context.for_each_range(v.rows(), kProductRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < v.cols(); ++c) out(i, c) = inputs.inverse_degree[i] * v(i, c);
    }
  });
  return out;
}

/// out[begin, end) += (divided by the degree, for means) A[begin, end)·Z
void add_neighbours(const Context& context, const RidgeInputs& inputs, std::size_t begin,
                    std::size_t end, bool averages, MatrixView<const double> z,
                    MatrixView<double> out) {
  auto product = Matrix<double>::unfilled(end - begin, z.cols());
  ops::sum_listed_rows(context, inputs.graph.offsets().subspan(begin, end - begin + 1),
                       inputs.graph.neighbours(), z, product.view());
  context.for_each_range(end - begin, kProductRowsPerPiece,
                         [&](std::size_t first, std::size_t last) {
                           for (std::size_t i = first; i < last; ++i) {
                             const double scale = averages ? inputs.inverse_degree[begin + i] : 1.0;
                             double* to = out.data() + (begin + i) * out.stride();
                             for (std::size_t c = 0; c < z.cols(); ++c)
                               to[c] += scale * product(i, c);
                           }
                         });
}

}  // namespace

Matrix<double> multiply_kernel(const Context& context, const RidgeSystem& system, std::size_t arm,
                               const Matrix<double>& v) {
  const RidgeInputs& inputs = *system.inputs;
  const GroupStrengths s(system, arm);
  const std::size_t n = inputs.num_nodes();
  Matrix<double> out(n, v.cols());
  if (s[GroupKind::kOwnWords] > 0) {
    auto inner = Matrix<double>::unfilled(inputs.words.cols(), v.cols());
    ops::sparse_times_dense(context, view_rows(inputs.places_of_words, 0, inputs.words.cols()),
                            v.view(), inner.view());
    add_words(context, inputs, 0, n, s[GroupKind::kOwnWords], inner.view(), out.view());
  }
  add_dense(context, inputs.columns, 0, n, s[GroupKind::kOwnColumns], v.view(), 0, n, out.view());
  add_dense(context, inputs.smooth, 0, n, s[GroupKind::kOwnSmooth], v.view(), 0, n, out.view());
  add_dense(context, inputs.curves, 0, n, s[GroupKind::kOwnCurves], v.view(), 0, n, out.view());
  const auto through_neighbours = [&](const Matrix<double>& from, bool averages) {
    auto w = Matrix<double>::unfilled(n, v.cols());
    ops::sum_listed_rows(context, inputs.graph.offsets(), inputs.graph.neighbours(), from.view(),
                         w.view());
    averages ? pass_on_means(context, inputs, s, w.view())
             : pass_on_sums(context, inputs, s, w.view());
    add_neighbours(context, inputs, 0, n, averages, w.view(), out.view());
  };
  if (s.sums()) through_neighbours(v, /*averages=*/false);
  if (s.means()) through_neighbours(divide_by_degree(context, inputs, v), /*averages=*/true);
  return out;
}

Matrix<double> multiply_own_kernels(const Context& context, const RidgeSystem& system,
                                    const Matrix<double>& v) {
  const RidgeInputs& inputs = *system.inputs;
  const std::size_t n = inputs.num_nodes();
  const std::size_t arms = inputs.num_arms();
  const std::size_t width = v.cols();
  Matrix<double> out(n, width);
  std::vector<GroupStrengths> strengths;
  for (std::size_t a = 0; a < arms; ++a) strengths.emplace_back(system, a);
  const auto any = [&](const auto& asks) {
    return std::any_of(strengths.begin(), strengths.end(), asks);
  };
  // The part of a table of (item, arm) rows that is an arm's.
  const auto part_of = [&](Matrix<double>& table, std::size_t items, std::size_t arm) {
    return MatrixView<double>(table.data() + arm * width, items, width, arms * width);
  };
  if (any([](const GroupStrengths& s) { return s[GroupKind::kOwnWords] > 0; })) {
    auto inner = Matrix<double>::unfilled(inputs.words.cols() * arms, width);
    ops::sparse_times_dense(
        context,
        {n, inputs.word_split, inputs.places_of_words.columns(), inputs.places_of_words.values()},
        v.view(), inner.view());
    for (std::size_t a = 0; a < arms; ++a) {
      add_words(context, inputs, inputs.arm_begin[a], inputs.arm_begin[a + 1],
                strengths[a][GroupKind::kOwnWords],
                MatrixView<const double>(part_of(inner, inputs.words.cols(), a)),
                slice(out.view(), inputs.arm_begin[a], inputs.arm_begin[a + 1]));
    }
  }
  for (std::size_t a = 0; a < arms; ++a) {
    const std::size_t begin = inputs.arm_begin[a];
    const std::size_t end = inputs.arm_begin[a + 1];
    add_dense(context, inputs.columns, begin, end, strengths[a][GroupKind::kOwnColumns], v.view(),
              begin, end, out.view());
    add_dense(context, inputs.smooth, begin, end, strengths[a][GroupKind::kOwnSmooth], v.view(),
              begin, end, out.view());
    add_dense(context, inputs.curves, begin, end, strengths[a][GroupKind::kOwnCurves], v.view(),
              begin, end, out.view());
  }
  const auto through_neighbours = [&](const Matrix<double>& from, bool averages) {
    auto w = Matrix<double>::unfilled(n * arms, width);
    ops::sum_listed_rows(context, inputs.arm_split, inputs.graph.neighbours(), from.view(),
                         w.view());
    for (std::size_t a = 0; a < arms; ++a) {
      const MatrixView<double> part = part_of(w, n, a);
      averages ? pass_on_means(context, inputs, strengths[a], part)
               : pass_on_sums(context, inputs, strengths[a], part);
      add_neighbours(context, inputs, inputs.arm_begin[a], inputs.arm_begin[a + 1], averages,
                     MatrixView<const double>(part), out.view());
    }
  };
  if (any([](const GroupStrengths& s) { return s.sums(); })) through_neighbours(v, false);
  if (any([](const GroupStrengths& s) { return s.means(); })) {
    through_neighbours(divide_by_degree(context, inputs, v), true);
  }
  return out;
}

}  // namespace cone
