#include "network_ridge/preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <cblas.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "exec/one_blas_thread.hpp"
#include "network_ridge/arm_equations.hpp"
#include "network_ridge/count_factor.hpp"
#include "network_ridge/fetch_rows.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kPositionsPerPiece = 2048;
/// Random vectors that are multiplied at a time.
constexpr std::size_t kVectorsAtATime = 32;
/// Of the time to build the preconditioner.
constexpr double kShareOfRandomPart = 0.2;
constexpr std::size_t kFixed = RidgeSystem::kNumFixed;

/// Normal draws that depend on the node only, not on the order of nodes or ranks.
void draw_vectors(const Context& context, const ArmEquations& equations, std::size_t first,
                  Matrix<double>& out) {
  context.for_each_range(out.rows(), kPositionsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (!equations.learns_at_all(row)) continue;
      const std::uint64_t number = equations.inputs().number_of(equations.first_position() + row);
      for (std::size_t c = 0; c < out.cols(); ++c) {
        Rng rng(first + c, Stream::kPreconditioner, number);
        out(row, c) = rng.normal();
      }
    }
  });
}

bool has_neighbour_effects_only(const GroupStrengths& strengths) {
  return std::all_of(EnumNames<GroupKind>::kNames.begin(), EnumNames<GroupKind>::kNames.end(),
                     [&](const auto& named) {
                       return strengths[named.first] == 0 ||
                              named.first == GroupKind::kNeighbourEffects ||
                              named.first == GroupKind::kMeanNeighbourEffects;
                     });
}

/// The noise plus the spread part of the kernel's diagonal (see KernelDiagonal).
std::vector<double> add_spread_diagonal(const ArmEquations& equations) {
  GroupStrengths neighbours = equations.strengths();
  const bool counts_spread = equations.num_counts() >= equations.num_positions_of_all();
  for (const auto& [kind, name] : EnumNames<GroupKind>::kNames) {
    const bool is_neighbours =
        kind == GroupKind::kNeighbourEffects || kind == GroupKind::kMeanNeighbourEffects;
    const bool is_counts = kind == GroupKind::kOwnCounts ||
                           kind == GroupKind::kNeighbourSumsCounts ||
                           kind == GroupKind::kNeighbourMeansCounts;
    if (!is_neighbours && !(is_counts && counts_spread)) neighbours.leave_out(kind);
  }
  std::vector<double> out = find_kernel_diagonal(equations, neighbours).spread;
  for (std::size_t row = 0; row < out.size(); ++row) out[row] += equations.noise(row);
  return out;
}

}  // namespace

const SparseMatrix& GhostCounts::get() {
  if (!counts_) {
    counts_ = inputs_.distributed ? fetch_rows(*inputs_.comm, inputs_.counts, inputs_.numeric,
                                               inputs_.distributed->remote)
                                        .counts
                                  : SparseMatrix();
  }
  return *counts_;
}

RidgePreconditioner::RidgePreconditioner(const Context& context, const ArmEquations& equations,
                                         PreconditionerSize size, GhostCounts& ghosts)
    : equations_(equations),
      counts_(equations, add_spread_diagonal(equations), size.count_columns) {
  GroupStrengths rest = equations.strengths();  // the groups that the count factor leaves out
  for (const auto& [kind, name] : EnumNames<GroupKind>::kNames) {
    if (counts_.has(kind)) rest.leave_out(kind);
  }
  {
    const StageScope stage(context, "random factor", 0, kShareOfRandomPart);
    make_factor(context, rest,
                has_neighbour_effects_only(rest) ? size.rank_for_neighbour_effects : size.rank);
  }
  const StageScope stage(context, "small factors", kShareOfRandomPart, 1);
  const KernelDiagonal diagonal = find_kernel_diagonal(equations, rest);
  for (std::size_t row = 0; row < equations.num_positions(); ++row) {
    // The random part approximates the narrow groups first.
    const double approximated = dot(factor_.row(row), factor_.row(row));
    const double approximated_spread = std::max(0.0, approximated - diagonal.narrow[row]);
    inverse_.push_back(
        1 / (equations.noise(row) + std::max(0.0, diagonal.spread[row] - approximated_spread)));
  }
  make_small_factors(context, ghosts);
  make_fixed(context);
}

void RidgePreconditioner::make_factor(const Context& context, const GroupStrengths& rest,
                                      std::size_t rank) {
  const std::size_t size = equations_.num_positions();
  Matrix<double> random(size, rank);
  factor_ = Matrix<double>(size, rank);
  for (std::size_t first = 0; first < rank; first += kVectorsAtATime) {
    context.report("preparing the equations", first, rank);
    Matrix<double> block(size, std::min(kVectorsAtATime, rank - first));
    draw_vectors(context, equations_, first, block);
    const Matrix<double> product = equations_.multiply_kernel(context, rest, block);
    for (std::size_t row = 0; row < size; ++row) {
      const bool learns = equations_.learns_at_all(row);
      for (std::size_t c = 0; c < block.cols(); ++c) {
        random(row, first + c) = block(row, c);
        factor_(row, first + c) = learns ? product(row, c) : 0;
      }
    }
  }
  Matrix<double> core = ops::multiply_transposed(context, random.view(), factor_.view());
  equations_.comm().allreduce(core.values());
  double trace = 0;
  for (std::size_t k = 0; k < rank; ++k) trace += core(k, k);
  // The product may be rank-deficient, as where few nodes explain everything.
  bool is_definite = trace > 0;
  if (is_definite) {
    for (std::size_t k = 0; k < rank; ++k) core(k, k) += 1e-9 * trace;
    is_definite = ops::factorise_cholesky(context, core.view());
  }
  if (!is_definite) {
    factor_ = Matrix<double>(size, 0);
    return;
  }
  context.for_each_range(size, kPositionsPerPiece, [&](std::size_t begin, std::size_t end) {
    const OneBlasThread guard;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                static_cast<int>(end - begin), static_cast<int>(rank), 1.0, core.data(),
                static_cast<int>(rank), factor_.row(begin).data(), static_cast<int>(rank));
  });
}

void RidgePreconditioner::make_small_factors(const Context& context, GhostCounts& ghosts) {
  const std::size_t num_tasks = equations_.num_tasks();
  const SparseMatrix none;
  const bool needs_ghosts = counts_.num_columns() > counts_.num_own_columns();
  const SparseMatrix& of_ghosts = needs_ghosts ? ghosts.get() : none;
  // Positions by the set of tasks that learn from them: with folds, one part per fold.
  std::map<std::vector<char>, std::vector<std::uint32_t>> parts;
  for (std::size_t row = 0; row < equations_.num_positions(); ++row) {
    if (!equations_.learns_at_all(row)) continue;
    std::vector<char> tasks(num_tasks);
    for (std::size_t t = 0; t < num_tasks; ++t) tasks[t] = equations_.learns(t, row) ? 1 : 0;
    parts[tasks].push_back(static_cast<std::uint32_t>(row));
  }
  // The reduction is collective: all ranks need the same parts, even without positions in them.
  std::vector<char> known;
  for (const auto& [tasks, rows] : parts) known.insert(known.end(), tasks.begin(), tasks.end());
  known = equations_.comm().allgatherv(known);
  for (auto at = known.begin(); at != known.end(); at += static_cast<std::ptrdiff_t>(num_tasks)) {
    parts[std::vector<char>(at, at + static_cast<std::ptrdiff_t>(num_tasks))];
  }
  small_.emplace(equations_.comm(), num_tasks, rank());
  std::size_t done = 0;
  for (const auto& [tasks, rows] : parts) {
    context.report("preparing the equations", done++, parts.size());
    const Matrix<double> products =
        weigh_factor_products(context, equations_, counts_, of_ghosts, factor_, inverse_, rows);
    small_->add(context, tasks, products);
  }
  small_->factorise(context);
}

void RidgePreconditioner::make_fixed(const Context& context) {
  const std::size_t size = equations_.num_positions();
  const std::size_t num_tasks = equations_.num_tasks();
  fixed_ = Matrix<double>(size, kFixed);
  Matrix<double> masked(size, num_tasks * kFixed);
  std::vector<std::size_t> tasks;
  for (std::size_t t = 0; t < num_tasks; ++t) tasks.insert(tasks.end(), kFixed, t);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t c = 0; c < kFixed; ++c) {
      fixed_(row, c) = equations_.fixed_effect(row, c);
    }
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (equations_.learns(tasks[k], row)) masked(row, k) = fixed_(row, k % kFixed);
    }
  }
  solved_fixed_ = apply(context, tasks, masked);
  Matrix<double> products = ops::multiply_transposed(context, masked.view(), solved_fixed_.view());
  equations_.comm().allreduce(products.values());
  const std::vector<std::size_t>& kept = equations_.model().fixed_columns;
  for (std::size_t t = 0; t < num_tasks; ++t) {
    SmallSystem small(kept.size());
    for (std::size_t r = 0; r < kept.size(); ++r) {
      for (std::size_t c = 0; c < kept.size(); ++c) {
        small.matrix(r, c) = products(t * kFixed + kept[r], t * kFixed + kept[c]);
      }
    }
    require(small.factorise(), "preconditioner: linearly dependent fixed effects");
    Matrix<double>& inverse = fixed_inverse_.emplace_back(kFixed, kFixed);
    for (std::size_t c = 0; c < kept.size(); ++c) {
      std::vector<double> unit(kept.size(), 0.0);
      unit[c] = 1;
      small.solve(unit);
      for (std::size_t r = 0; r < kept.size(); ++r) inverse(kept[r], kept[c]) = unit[r];
    }
  }
}

Matrix<double> RidgePreconditioner::apply(const Context& context,
                                          std::span<const std::size_t> tasks,
                                          const Matrix<double>& r) const {
  const std::size_t num_counts = counts_.num_columns();
  const std::size_t width = r.cols();
  auto out = Matrix<double>::unfilled(r.rows(), width);
  context.for_each_range(r.rows(), kPositionsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t k = 0; k < width; ++k) out(row, k) = inverse_[row] * r(row, k);
    }
  });
  if (rank() == 0) return out;
  Matrix<double> inner(rank(), width);
  if (num_counts > 0) {
    std::ranges::copy(counts_.multiply_transposed(context, out).values(), inner.data());
  }
  std::ranges::copy(ops::multiply_transposed(context, factor_.view(), out.view()).values(),
                    inner.data() + num_counts * width);
  equations_.comm().allreduce(inner.values());
  small_->solve(context, tasks, inner);
  const MatrixView<const double> of_counts(inner.data(), num_counts, width);
  const MatrixView<const double> of_factor(inner.data() + num_counts * width, factor_.cols(),
                                           width);
  Matrix<double> taken = ops::multiply(context, factor_.view(), of_factor);
  counts_.add_product(context, of_counts, taken);
  context.for_each_range(taken.rows(), kPositionsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t k = 0; k < width; ++k) {
        const bool learns = equations_.learns(tasks[k], row);
        out(row, k) = learns ? out(row, k) - inverse_[row] * taken(row, k) : 0.0;
      }
    }
  });
  return out;
}

Matrix<double> RidgePreconditioner::project(const Context& context,
                                            std::span<const std::size_t> tasks,
                                            const Matrix<double>* g, Matrix<double>& r,
                                            Matrix<double>& lambda) const {
  Matrix<double> z = apply(context, tasks, r);
  // z is zero where the task does not learn, so B'z sums over the positions that it learns from.
  Matrix<double> products = ops::multiply_transposed(context, fixed_.view(), z.view());
  equations_.comm().allreduce(products.values());
  Matrix<double> v(kFixed, r.cols());
  for (std::size_t k = 0; k < r.cols(); ++k) {
    const Matrix<double>& inverse = fixed_inverse_[tasks[k]];
    for (std::size_t row = 0; row < kFixed; ++row) {
      for (std::size_t c = 0; c < kFixed; ++c) {
        const double wanted = g != nullptr ? (*g)(c, k) : 0;
        v(row, k) += inverse(row, c) * (products(c, k) - wanted);
      }
      lambda(row, k) += v(row, k);
    }
  }
  context.for_each_range(r.rows(), kPositionsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t k = 0; k < r.cols(); ++k) {
        if (!equations_.learns(tasks[k], row)) continue;
        for (std::size_t c = 0; c < kFixed; ++c) {
          z(row, k) -= solved_fixed_(row, tasks[k] * kFixed + c) * v(c, k);
          r(row, k) -= fixed_(row, c) * v(c, k);
        }
      }
    }
  });
  return z;
}

}  // namespace cone
