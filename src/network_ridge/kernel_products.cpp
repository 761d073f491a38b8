#include <algorithm>
#include <utility>

#include "network_ridge/equation_source.hpp"
#include "network_ridge/group_strengths.hpp"
#include "ops/inverse.hpp"
#include "ops/neighbour_sums.hpp"
#include "ops/sparse.hpp"

// Products with the kernels, computed from products with the features, the adjacency matrix and
// their transposes only: no kernel matrix is formed.

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

/// Rows [begin, end) of a view.
template <class T>
MatrixView<T> slice(MatrixView<T> m, std::size_t begin, std::size_t end) {
  return {m.data() + begin * m.stride(), end - begin, m.cols(), m.stride()};
}

/// X'V over the positions of all ranks, count features × columns of V.
Matrix<double> multiply_all_counts_transposed(const Context& context, const EquationTables& tables,
                                              const Communicator& comm,
                                              MatrixView<const double> v) {
  const SparseMatrix& positions = *tables.counts_transposed;
  auto out = Matrix<double>::unfilled(positions.rows(), v.cols());
  ops::sparse_times_dense(context, view_rows(positions, 0, positions.rows()), v, out.view());
  comm.allreduce(out.values());
  return out;
}

/// out += scale · X[begin, end)·T, T: count features × columns.
void add_counts(const Context& context, const SparseMatrix& counts, std::size_t begin,
                std::size_t end, double scale, MatrixView<const double> t, MatrixView<double> out) {
  auto product = Matrix<double>::unfilled(end - begin, t.cols());
  ops::sparse_times_dense(context, view_rows(counts, begin, end), t, product.view());
  add_scaled(context, scale, product.view(), out);
}

/// out[begin, end) += scale · D·(D'·V[begin, end)) for a dense table D, with D'V reduced over all
/// ranks.
void add_dense(const Context& context, const Communicator& comm, const Matrix<double>& table,
               std::size_t begin, std::size_t end, double scale, MatrixView<const double> v,
               MatrixView<double> out) {
  if (scale == 0 || table.cols() == 0) return;
  Matrix<double> inner =
      ops::multiply_transposed(context, slice(table.view(), begin, end), slice(v, begin, end));
  comm.allreduce(inner.values());
  const Matrix<double> product =
      ops::multiply(context, slice(table.view(), begin, end), inner.view());
  add_scaled(context, scale, product.view(), slice(out, begin, end));
}

/// out += C·S·C'·V of the positions [begin, end), C the indicators of communities and S the
/// variances of their effects, with C'V reduced over all ranks.
void add_communities(const Context& context, const EquationTables& tables, const Communicator& comm,
                     const GroupStrengths& s, std::size_t begin, std::size_t end,
                     MatrixView<const double> v, MatrixView<double> out) {
  if (!s.communities()) return;
  const CommunityFeatures& communities = *tables.communities;
  Matrix<double> inner = communities.sum_members(context, begin, end, slice(v, begin, end));
  comm.allreduce(inner.values());
  communities.scale(s, inner);
  add_counts(context, communities.indicators(), begin, end, 1, inner.view(),
             slice(out, begin, end));
}

/// W ← σ²_e·W + σ²_x·X(X'W) + σ²_d·D(D'W): the kernel of neighbour effects and of the neighbours'
/// count (X) and numeric (D) features, between the neighbours.
void multiply_inner_kernel(const Context& context, const EquationTables& tables,
                           const Communicator& comm, const GroupStrengths& s, bool averages,
                           MatrixView<double> w) {
  using enum GroupKind;
  const double effects = s[averages ? kMeanNeighbourEffects : kNeighbourEffects];
  const double counts = s[averages ? kNeighbourMeansCounts : kNeighbourSumsCounts];
  const double numeric = s[averages ? kNeighbourMeansNumeric : kNeighbourSumsNumeric];
  const std::size_t n = tables.num_positions();
  Matrix<double> lifted(n, w.cols());
  if (counts > 0) {
    const Matrix<double> inner =
        multiply_all_counts_transposed(context, tables, comm, MatrixView<const double>(w));
    add_counts(context, *tables.counts, 0, n, counts, inner.view(), lifted.view());
  }
  add_dense(context, comm, *tables.numeric, 0, n, numeric, w, lifted.view());
  context.for_each_range(n, kProductRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double* row = w.data() + i * w.stride();
      for (std::size_t c = 0; c < w.cols(); ++c) row[c] = effects * row[c] + lifted(i, c);
    }
  });
}

Matrix<double> divide_by_degree(const Context& context, const EquationTables& tables,
                                const Matrix<double>& v) {
  auto out = Matrix<double>::unfilled(v.rows(), v.cols());
  context.for_each_range(v.rows(), kProductRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < v.cols(); ++c) out(i, c) = tables.inverse_degree[i] * v(i, c);
    }
  });
  return out;
}

/// out[begin, end) += S[begin, end)·Z with S = A, or D⁻¹A where neighbours are averaged.
void add_neighbours(const Context& context, const EquationTables& tables, std::size_t begin,
                    std::size_t end, bool averages, MatrixView<const double> z,
                    MatrixView<double> out) {
  auto product = Matrix<double>::unfilled(end - begin, z.cols());
  ops::sum_listed_rows(context, tables.list_offsets.subspan(begin, end - begin + 1), tables.lists,
                       z, product.view());
  context.for_each_range(end - begin, kProductRowsPerPiece,
                         [&](std::size_t first, std::size_t last) {
                           for (std::size_t i = first; i < last; ++i) {
                             const double scale = averages ? tables.inverse_degree[begin + i] : 1.0;
                             double* to = out.data() + (begin + i) * out.stride();
                             for (std::size_t c = 0; c < z.cols(); ++c)
                               to[c] += scale * product(i, c);
                           }
                         });
}

/// out += S·K·(A'V), K the kernel of multiply_inner_kernel; for means V is divided by the degrees
/// already.
void add_neighbour_kernel(const Context& context, const EquationSource& source,
                          const GroupStrengths& s, bool averages, const Matrix<double>& v,
                          Matrix<double>& out) {
  const EquationTables tables = source.tables();
  const GhostRows& ghosts = source.neighbour_ghosts();
  const std::size_t n = tables.num_positions();
  const std::size_t num_rows = n + source.num_ghosts();
  const Matrix<double>* table = &v;
  Matrix<double> ghosted;
  if (ghosts.is_distributed()) {
    ghosted = Matrix<double>::unfilled(num_rows, v.cols());
    std::ranges::copy(v.values(), ghosted.data());
    ghosts.fetch(ghosted);
    table = &ghosted;
  }
  auto w = Matrix<double>::unfilled(num_rows, v.cols());
  ops::sum_listed_rows(context, tables.list_offsets, tables.lists, table->view(),
                       slice(w.view(), 0, n));
  multiply_inner_kernel(context, tables, source.comm(), s, averages, slice(w.view(), 0, n));
  ghosts.fetch(w);
  add_neighbours(context, tables, 0, n, averages, w.view(), out.view());
}

}  // namespace

Matrix<double> multiply_kernel(const Context& context, const EquationSource& source,
                               std::size_t arm, const Matrix<double>& v) {
  const EquationTables tables = source.tables();
  const Communicator& comm = source.comm();
  const GroupStrengths s(tables.groups, tables.arms[arm]);
  const std::size_t n = tables.num_positions();
  Matrix<double> out(n, v.cols());
  if (s[GroupKind::kOwnCounts] > 0) {
    const Matrix<double> inner = multiply_all_counts_transposed(context, tables, comm, v.view());
    add_counts(context, *tables.counts, 0, n, s[GroupKind::kOwnCounts], inner.view(), out.view());
  }
  for (const auto& [table, kind] : {std::pair(tables.numeric, GroupKind::kOwnNumeric),
                                    std::pair(tables.smooth, GroupKind::kOwnSmooth),
                                    std::pair(tables.curves, GroupKind::kOwnCurves)}) {
    add_dense(context, comm, *table, 0, n, s[kind], v.view(), out.view());
  }
  add_communities(context, tables, comm, s, 0, n, v.view(), out.view());
  if (s.sums()) add_neighbour_kernel(context, source, s, /*averages=*/false, v, out);
  if (s.means()) {
    add_neighbour_kernel(context, source, s, /*averages=*/true,
                         divide_by_degree(context, tables, v), out);
  }
  return out;
}

Matrix<double> multiply_kernel(const Context& context, const RidgeSystem& system, std::size_t arm,
                               const Matrix<double>& v) {
  return multiply_kernel(context, SystemSource(system), arm, v);
}

Matrix<double> multiply_own_kernels(const Context& context, const RidgeSystem& system,
                                    const Matrix<double>& v) {
  const RidgeInputs& inputs = *system.inputs;
  const EquationTables tables = SystemSource(system).tables();
  const Communicator alone;
  const std::size_t n = inputs.num_nodes();
  const std::size_t arms = inputs.num_arms();
  const std::size_t width = v.cols();
  Matrix<double> out(n, width);
  std::vector<GroupStrengths> strengths;
  for (const ArmModel& arm : system.arms) strengths.emplace_back(system.groups, arm);
  const auto any = [&](const auto& asks) {
    return std::any_of(strengths.begin(), strengths.end(), asks);
  };
  // The rows of one arm in a table of (item, arm) rows.
  const auto part_of = [&](Matrix<double>& table, std::size_t items, std::size_t arm) {
    return MatrixView<double>(table.data() + arm * width, items, width, arms * width);
  };
  if (any([](const GroupStrengths& s) { return s[GroupKind::kOwnCounts] > 0; })) {
    auto inner = Matrix<double>::unfilled(inputs.counts.cols() * arms, width);
    ops::sparse_times_dense(context,
                            {n, inputs.count_split, inputs.counts_transposed.columns(),
                             inputs.counts_transposed.values()},
                            v.view(), inner.view());
    for (std::size_t a = 0; a < arms; ++a) {
      add_counts(context, inputs.counts, inputs.arm_begin[a], inputs.arm_begin[a + 1],
                 strengths[a][GroupKind::kOwnCounts],
                 MatrixView<const double>(part_of(inner, inputs.counts.cols(), a)),
                 slice(out.view(), inputs.arm_begin[a], inputs.arm_begin[a + 1]));
    }
  }
  for (std::size_t a = 0; a < arms; ++a) {
    const std::size_t begin = inputs.arm_begin[a];
    const std::size_t end = inputs.arm_begin[a + 1];
    for (const auto& [table, kind] : {std::pair(tables.numeric, GroupKind::kOwnNumeric),
                                      std::pair(tables.smooth, GroupKind::kOwnSmooth),
                                      std::pair(tables.curves, GroupKind::kOwnCurves)}) {
      add_dense(context, alone, *table, begin, end, strengths[a][kind], v.view(), out.view());
    }
    add_communities(context, tables, alone, strengths[a], begin, end, v.view(), out.view());
  }
  const auto add_neighbour_kernels = [&](const Matrix<double>& from, bool averages) {
    auto w = Matrix<double>::unfilled(n * arms, width);
    ops::sum_listed_rows(context, inputs.arm_split, inputs.graph.neighbours(), from.view(),
                         w.view());
    for (std::size_t a = 0; a < arms; ++a) {
      const MatrixView<double> part = part_of(w, n, a);
      multiply_inner_kernel(context, tables, alone, strengths[a], averages, part);
      add_neighbours(context, tables, inputs.arm_begin[a], inputs.arm_begin[a + 1], averages,
                     MatrixView<const double>(part), out.view());
    }
  };
  if (any([](const GroupStrengths& s) { return s.sums(); })) add_neighbour_kernels(v, false);
  if (any([](const GroupStrengths& s) { return s.means(); })) {
    add_neighbour_kernels(divide_by_degree(context, tables, v), true);
  }
  return out;
}

}  // namespace cone
