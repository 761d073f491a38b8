#include <algorithm>

#include "distributed/rank_system.hpp"
#include "ops/inverse.hpp"
#include "ops/neighbour_sums.hpp"
#include "ops/sparse.hpp"

// Products with the kernels (network_ridge/kernel_products.cpp) where every rank has some of the
// rows: sums over words and columns are added up over the ranks, rows of ghosts are fetched before
// sums over neighbours.

namespace cone::distributed {
namespace {

MatrixView<double> rows_of(Matrix<double>& table, std::size_t begin, std::size_t end) {
  return {table.data() + begin * table.cols(), end - begin, table.cols(), table.cols()};
}

MatrixView<const double> rows_of(const Matrix<double>& table, std::size_t begin, std::size_t end) {
  return {table.data() + begin * table.cols(), end - begin, table.cols(), table.cols()};
}

void add_scaled(double scale, MatrixView<const double> from, MatrixView<double> to) {
  for (std::size_t i = 0; i < from.rows(); ++i) {
    const double* source = from.data() + i * from.stride();
    double* target = to.data() + i * to.stride();
    for (std::size_t c = 0; c < from.cols(); ++c) target[c] += scale * source[c];
  }
}

ops::SparseView<double> view_rows(const SparseMatrix& m, std::size_t begin, std::size_t end) {
  return {m.cols(), m.offsets().subspan(begin, end - begin + 1), m.columns(), m.values()};
}

/// out[begin, end) += scale · X·T, T: words × columns.
void add_words(const Context& context, const Share& share, std::size_t begin, std::size_t end,
               double scale, MatrixView<const double> t, MatrixView<double> out) {
  auto product = Matrix<double>::unfilled(end - begin, t.cols());
  ops::sparse_times_dense(context, view_rows(share.words, begin, end), t, product.view());
  add_scaled(scale, product.view(), out);
}

/// X'·W over all ranks; W: places × columns.
Matrix<double> gather_words(const Context& context, const RankSystem& system,
                            MatrixView<const double> w) {
  auto inner = Matrix<double>::unfilled(system.share.words.cols(), w.cols());
  ops::sparse_times_dense(context,
                          view_rows(system.share.places_of_words, 0, system.share.words.cols()), w,
                          inner.view());
  system.ranks.add_up(inner.values());
  return inner;
}

/// out[begin, end) += scale · D·(D'·V) with D'V over the places [from, to) of all ranks.
void add_dense(const Context& context, const RankSystem& system, const Matrix<double>& table,
               std::size_t begin, std::size_t end, double scale, MatrixView<const double> v,
               std::size_t from, std::size_t to, MatrixView<double> out) {
  if (scale == 0 || table.cols() == 0) return;
  const MatrixView<const double> some(v.data() + from * v.stride(), to - from, v.cols(),
                                      v.stride());
  Matrix<double> inner(table.cols(), v.cols());
  if (to > from) inner = ops::multiply_transposed(context, rows_of(table, from, to), some);
  system.ranks.add_up(inner.values());
  if (end == begin) return;
  const Matrix<double> product = ops::multiply(context, rows_of(table, begin, end), inner.view());
  add_scaled(scale, product.view(),
             {out.data() + begin * out.stride(), end - begin, out.cols(), out.stride()});
}

/// What neighbours pass on: friends·W + words·X(X'W) + columns·D(D'W), in the place of W.
void pass_on(const Context& context, const RankSystem& system, std::size_t arm, bool averages,
             MatrixView<double> w) {
  const Share& share = system.share;
  const double friends =
      system.strength(averages ? GroupKind::kMeanFriends : GroupKind::kSumFriends, arm);
  const double words =
      system.strength(averages ? GroupKind::kMeanWords : GroupKind::kSumWords, arm);
  const double columns =
      system.strength(averages ? GroupKind::kMeanColumns : GroupKind::kSumColumns, arm);
  Matrix<double> lifted(share.size(), w.cols());
  if (words > 0) {
    const Matrix<double> inner = gather_words(context, system, MatrixView<const double>(w));
    add_words(context, share, 0, share.size(), words, inner.view(), lifted.view());
  }
  add_dense(context, system, share.columns, 0, share.size(), columns, MatrixView<const double>(w),
            0, share.size(), lifted.view());
  for (std::size_t i = 0; i < share.size(); ++i) {
    double* row = w.data() + i * w.stride();
    for (std::size_t c = 0; c < w.cols(); ++c) row[c] = friends * row[c] + lifted(i, c);
  }
}

bool asks_neighbours(const RankSystem& system, std::size_t arm, bool averages) {
  using enum GroupKind;
  return averages
             ? system.strength(kMeanWords, arm) > 0 || system.strength(kMeanColumns, arm) > 0 ||
                   system.strength(kMeanFriends, arm) > 0
             : system.strength(kSumWords, arm) > 0 || system.strength(kSumColumns, arm) > 0 ||
                   system.strength(kSumFriends, arm) > 0;
}

/// V with the rows of ghosts behind it, divided by the degree for means.
Matrix<double> with_ghosts(const RankSystem& system, const Matrix<double>& v, bool averages) {
  const Share& share = system.share;
  auto out = Matrix<double>::unfilled(share.ghosts.num_rows(), v.cols());
  for (std::size_t i = 0; i < v.rows(); ++i) {
    const double scale = averages ? share.inverse_degree[i] : 1.0;
    for (std::size_t c = 0; c < v.cols(); ++c) out(i, c) = scale * v(i, c);
  }
  share.ghosts.update(out);
  return out;
}

/// out[begin, end) += A·Z, divided by the degree for means; Z with ghosts.
void add_neighbours(const Context& context, const Share& share, std::size_t begin, std::size_t end,
                    bool averages, MatrixView<const double> z, Matrix<double>& out) {
  auto product = Matrix<double>::unfilled(end - begin, z.cols());
  ops::sum_listed_rows(context, std::span(share.list_offsets).subspan(begin, end - begin + 1),
                       share.lists, z, product.view());
  for (std::size_t i = begin; i < end; ++i) {
    const double scale = averages ? share.inverse_degree[i] : 1.0;
    for (std::size_t c = 0; c < z.cols(); ++c) out(i, c) += scale * product(i - begin, c);
  }
}

}  // namespace

double RankSystem::noise_at(std::size_t place) const {
  return noise_of_place(arms[share.arm_of(place)], share.relative_degree[place], undersmoothing);
}

double RankSystem::strength(GroupKind kind, std::size_t arm) const {
  const auto group = std::ranges::find(groups, kind, &RidgeGroup::kind);
  if (group == groups.end()) return 0;
  return arms[arm].group_variances[static_cast<std::size_t>(group - groups.begin())] / group->scale;
}

Matrix<double> multiply_kernel(const Context& context, const RankSystem& system, std::size_t arm,
                               const Matrix<double>& v) {
  const Share& share = system.share;
  const std::size_t n = share.size();
  Matrix<double> out(n, v.cols());
  if (system.strength(GroupKind::kOwnWords, arm) > 0) {
    const Matrix<double> inner = gather_words(context, system, v.view());
    add_words(context, share, 0, n, system.strength(GroupKind::kOwnWords, arm), inner.view(),
              out.view());
  }
  for (const auto& [table, kind] : {std::pair(&share.columns, GroupKind::kOwnColumns),
                                    std::pair(&share.smooth, GroupKind::kOwnSmooth),
                                    std::pair(&share.curves, GroupKind::kOwnCurves)}) {
    add_dense(context, system, *table, 0, n, system.strength(kind, arm), v.view(), 0, n,
              out.view());
  }
  for (const bool averages : {false, true}) {
    if (!asks_neighbours(system, arm, averages)) continue;
    Matrix<double> w = Matrix<double>::unfilled(share.ghosts.num_rows(), v.cols());
    ops::sum_listed_rows(context, share.list_offsets, share.lists,
                         with_ghosts(system, v, averages).view(), rows_of(w, 0, n));
    pass_on(context, system, arm, averages, rows_of(w, 0, n));
    share.ghosts.update(w);
    add_neighbours(context, share, 0, n, averages, w.view(), out);
  }
  return out;
}

Matrix<double> multiply_own_kernels(const Context& context, const RankSystem& system,
                                    const Matrix<double>& v) {
  const Share& share = system.share;
  const std::size_t n = share.size();
  const std::size_t arms = share.num_arms();
  const std::size_t width = v.cols();
  Matrix<double> out(n, width);
  const auto any = [&](const auto& asks) {
    for (std::size_t a = 0; a < arms; ++a) {
      if (asks(a)) return true;
    }
    return false;
  };
  // The part of a table of (item, arm) rows that is an arm's.
  const auto part_of = [&](Matrix<double>& table, std::size_t items, std::size_t arm) {
    return MatrixView<double>(table.data() + arm * width, items, width, arms * width);
  };
  if (any([&](std::size_t a) { return system.strength(GroupKind::kOwnWords, a) > 0; })) {
    auto inner = Matrix<double>::unfilled(share.words.cols() * arms, width);
    ops::sparse_times_dense(
        context,
        {n, share.word_split, share.places_of_words.columns(), share.places_of_words.values()},
        v.view(), inner.view());
    system.ranks.add_up(inner.values());
    for (std::size_t a = 0; a < arms; ++a) {
      add_words(context, share, share.arm_begin[a], share.arm_begin[a + 1],
                system.strength(GroupKind::kOwnWords, a),
                MatrixView<const double>(part_of(inner, share.words.cols(), a)),
                rows_of(out, share.arm_begin[a], share.arm_begin[a + 1]));
    }
  }
  for (std::size_t a = 0; a < arms; ++a) {
    const std::size_t begin = share.arm_begin[a];
    const std::size_t end = share.arm_begin[a + 1];
    for (const auto& [table, kind] : {std::pair(&share.columns, GroupKind::kOwnColumns),
                                      std::pair(&share.smooth, GroupKind::kOwnSmooth),
                                      std::pair(&share.curves, GroupKind::kOwnCurves)}) {
      add_dense(context, system, *table, begin, end, system.strength(kind, a), v.view(), begin, end,
                out.view());
    }
  }
  for (const bool averages : {false, true}) {
    if (!any([&](std::size_t a) { return asks_neighbours(system, a, averages); })) continue;
    auto w = Matrix<double>::unfilled(share.ghosts.num_rows(), arms * width);
    MatrixView<double> by_arm(w.data(), n * arms, width, width);
    ops::sum_listed_rows(context, share.arm_offsets, share.lists,
                         with_ghosts(system, v, averages).view(), by_arm);
    for (std::size_t a = 0; a < arms; ++a) {
      pass_on(context, system, a, averages, part_of(w, n, a));
    }
    share.ghosts.update(w);
    for (std::size_t a = 0; a < arms; ++a) {
      add_neighbours(context, share, share.arm_begin[a], share.arm_begin[a + 1], averages,
                     MatrixView<const double>(part_of(w, share.ghosts.num_rows(), a)), out);
    }
  }
  return out;
}

Matrix<double> multiply_equations(const Context& context, const RankSystem& system,
                                  std::span<const std::size_t> tasks, const Matrix<double>& x) {
  Matrix<double> out = multiply_own_kernels(context, system, x);
  for (std::size_t p = 0; p < out.rows(); ++p) {
    const double noise = system.noise_at(p);
    for (std::size_t k = 0; k < out.cols(); ++k) {
      out(p, k) = system.learns(p, tasks[k]) ? out(p, k) + noise * x(p, k) : 0.0;
    }
  }
  return out;
}

}  // namespace cone::distributed
