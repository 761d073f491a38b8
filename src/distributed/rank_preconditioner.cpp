#include "distributed/rank_preconditioner.hpp"

#include <algorithm>

#include <cblas.h>

#include "base/random.hpp"
#include "exec/one_blas_thread.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone::distributed {
namespace {

/// Random vectors that are multiplied at a time.
constexpr std::size_t kVectorsAtATime = 32;

MatrixView<const double> arm_rows(const Share& share, const Matrix<double>& table,
                                  std::size_t arm) {
  return {table.data() + share.arm_begin[arm] * table.cols(),
          share.arm_begin[arm + 1] - share.arm_begin[arm], table.cols(), table.cols()};
}

/// A'·B of an arm's rows over all ranks.
Matrix<double> multiply_rows(const Context& context, const RankSystem& system,
                             const Matrix<double>& a, const Matrix<double>& b, std::size_t arm) {
  Matrix<double> out(a.cols(), b.cols());
  if (system.share.arm_begin[arm + 1] > system.share.arm_begin[arm]) {
    out = ops::multiply_transposed(context, arm_rows(system.share, a, arm),
                                   arm_rows(system.share, b, arm));
  }
  system.ranks.add_up(out.values());
  return out;
}

}  // namespace

RankPreconditioner::RankPreconditioner(const Context& context, const RankSystem& system,
                                       std::size_t rank)
    : system_(system) {
  for (std::size_t p = 0; p < system.share.size(); ++p) {
    inverse_noise_.push_back(1 / system.noise_at(p));
  }
  make_factor(context, rank);
  measure_rest(context);
  for (std::size_t p = 0; p < system.share.size(); ++p) {
    inverse_noise_[p] = 1 / (system.noise_at(p) + left_[p]);
  }
  make_small_factors(context);
  make_fixed(context);
}

void RankPreconditioner::make_factor(const Context& context, std::size_t rank) {
  const Share& share = system_.share;
  Matrix<double> random(share.size(), rank);
  factor_ = Matrix<double>(share.size(), rank);
  for (std::size_t first = 0; first < rank; first += kVectorsAtATime) {
    context.report("preparing the equations", first, rank);
    Matrix<double> block(share.size(), std::min(kVectorsAtATime, rank - first));
    for (std::size_t p = 0; p < share.size(); ++p) {
      for (std::size_t c = 0; c < block.cols(); ++c) {
        Rng rng(first + c, Stream::kPreconditioner, share.number[p]);
        block(p, c) = random(p, first + c) = rng.normal();
      }
    }
    const Matrix<double> product = multiply_own_kernels(context, system_, block);
    for (std::size_t p = 0; p < share.size(); ++p) {
      for (std::size_t c = 0; c < block.cols(); ++c) {
        factor_(p, first + c) = product(p, c);
      }
    }
  }
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    Matrix<double> core = multiply_rows(context, system_, random, factor_, a);
    double trace = 0;
    for (std::size_t k = 0; k < rank; ++k) trace += core(k, k);
    bool is_good = trace > 0;
    if (is_good) {
      for (std::size_t k = 0; k < rank; ++k) core(k, k) += 1e-9 * trace;
      is_good = ops::factorise_cholesky(context, core.view());
    }
    const std::size_t begin = share.arm_begin[a];
    const std::size_t count = share.arm_begin[a + 1] - begin;
    if (count == 0) continue;
    if (!is_good) {
      std::fill_n(factor_.row(begin).data(), count * rank, 0.0);
      continue;
    }
    const OneBlasThread guard;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                static_cast<int>(count), static_cast<int>(rank), 1.0, core.data(),
                static_cast<int>(rank), factor_.row(begin).data(), static_cast<int>(rank));
  }
}

void RankPreconditioner::measure_rest(const Context& context) {
  const Share& share = system_.share;
  Matrix<double> signs(share.size(), kVectorsAtATime);
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t c = 0; c < kVectorsAtATime; ++c) {
      Rng rng(factor_.cols() + c, Stream::kPreconditioner, share.number[p]);
      signs(p, c) = rng.uniform() < 0.5 ? -1 : 1;
    }
  }
  const Matrix<double> product = multiply_own_kernels(context, system_, signs);
  left_.assign(share.size(), 0.0);
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    const Matrix<double> inner = multiply_rows(context, system_, factor_, signs, a);
    if (share.arm_begin[a + 1] == share.arm_begin[a]) continue;
    const Matrix<double> known = ops::multiply(context, arm_rows(share, factor_, a), inner.view());
    for (std::size_t i = 0; i < known.rows(); ++i) {
      const std::size_t p = share.arm_begin[a] + i;
      double total = 0;
      for (std::size_t c = 0; c < kVectorsAtATime; ++c) {
        total += signs(p, c) * (product(p, c) - known(i, c));
      }
      left_[p] = std::max(0.0, total / static_cast<double>(kVectorsAtATime));
    }
  }
}

void RankPreconditioner::make_small_factors(const Context& context) {
  const Share& share = system_.share;
  const std::size_t rank = factor_.cols();
  inner_.assign(share.num_arms(), {});
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    // Products of the nodes of every fold; a task takes those of all folds but its own.
    std::vector<Matrix<double>> by_fold;
    Matrix<double> all(rank, rank);
    for (std::size_t t = 0; t < system_.num_tasks; ++t) {
      std::vector<std::size_t> places;
      for (std::size_t p = share.arm_begin[a]; p < share.arm_begin[a + 1]; ++p) {
        if (!system_.learns(p, t)) places.push_back(p);
      }
      Matrix<double> weighed(places.size(), rank);
      for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t c = 0; c < rank; ++c) {
          weighed(i, c) = std::sqrt(inverse_noise_[places[i]]) * factor_(places[i], c);
        }
      }
      Matrix<double>& products = by_fold.emplace_back(rank, rank);
      if (!places.empty()) {
        products = ops::multiply_transposed(context, weighed.view(), weighed.view());
      }
      system_.ranks.add_up(products.values());
      for (std::size_t k = 0; k < rank * rank; ++k) all.values()[k] += products.values()[k];
    }
    for (const Matrix<double>& of_fold : by_fold) {
      Matrix<double>& inner = inner_[a].emplace_back(rank, rank);
      for (std::size_t k = 0; k < rank * rank; ++k) {
        inner.values()[k] = all.values()[k] - of_fold.values()[k];
      }
      for (std::size_t k = 0; k < rank; ++k) inner(k, k) += 1;
      require(ops::factorise_cholesky(context, inner.view()), "preconditioner: no factor");
    }
  }
}

void RankPreconditioner::make_fixed(const Context& context) {
  const Share& share = system_.share;
  Matrix<double> fixed(share.size(), system_.num_tasks * kFixed);
  std::vector<std::size_t> tasks;
  for (std::size_t t = 0; t < system_.num_tasks; ++t) tasks.insert(tasks.end(), kFixed, t);
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      fixed(p, k) = system_.learns(p, tasks[k]) ? system_.fixed_effect(p, k % kFixed) : 0;
    }
  }
  solved_fixed_ = apply(context, tasks, fixed);
  fixed_inverse_.assign(share.num_arms(), {});
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    const Matrix<double> products = multiply_rows(context, system_, fixed, solved_fixed_, a);
    const std::vector<std::size_t>& kept = system_.arms[a].fixed_columns;
    for (std::size_t t = 0; t < system_.num_tasks; ++t) {
      SmallSystem small(kept.size());
      for (std::size_t r = 0; r < kept.size(); ++r) {
        for (std::size_t c = 0; c < kept.size(); ++c) {
          small.matrix(r, c) = products(t * kFixed + kept[r], t * kFixed + kept[c]);
        }
      }
      require(small.factorise(), "preconditioner: dependent fixed effects");
      Matrix<double>& inverse = fixed_inverse_[a].emplace_back(kFixed, kFixed);
      for (std::size_t c = 0; c < kept.size(); ++c) {
        std::vector<double> unit(kept.size(), 0.0);
        unit[c] = 1;
        small.solve(unit);
        for (std::size_t r = 0; r < kept.size(); ++r) inverse(kept[r], kept[c]) = unit[r];
      }
    }
  }
}

Matrix<double> RankPreconditioner::apply(const Context& context, std::span<const std::size_t> tasks,
                                         const Matrix<double>& r) const {
  const Share& share = system_.share;
  const std::size_t rank = factor_.cols();
  auto out = Matrix<double>::unfilled(r.rows(), r.cols());
  for (std::size_t p = 0; p < r.rows(); ++p) {
    for (std::size_t k = 0; k < r.cols(); ++k) {
      out(p, k) = system_.learns(p, tasks[k]) ? inverse_noise_[p] * r(p, k) : 0.0;
    }
  }
  if (rank == 0) return out;
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    Matrix<double> inner = multiply_rows(context, system_, factor_, out, a);
    for (std::size_t k = 0; k < r.cols(); ++k) {
      const OneBlasThread guard;
      for (const auto transposition : {CblasNoTrans, CblasTrans}) {
        cblas_dtrsv(CblasRowMajor, CblasLower, transposition, CblasNonUnit, static_cast<int>(rank),
                    inner_[a][tasks[k]].data(), static_cast<int>(rank), inner.data() + k,
                    static_cast<int>(inner.cols()));
      }
    }
    if (share.arm_begin[a + 1] == share.arm_begin[a]) continue;
    const Matrix<double> taken = ops::multiply(context, arm_rows(share, factor_, a), inner.view());
    for (std::size_t i = 0; i < taken.rows(); ++i) {
      const std::size_t p = share.arm_begin[a] + i;
      for (std::size_t k = 0; k < r.cols(); ++k) {
        if (system_.learns(p, tasks[k])) out(p, k) -= inverse_noise_[p] * taken(i, k);
      }
    }
  }
  return out;
}

Matrix<double> RankPreconditioner::project(const Context& context,
                                           std::span<const std::size_t> tasks,
                                           const Matrix<double>& r, const Matrix<double>* g,
                                           Matrix<double>& v) const {
  const Share& share = system_.share;
  Matrix<double> z = apply(context, tasks, r);
  const std::size_t width = r.cols();
  Matrix<double> products(share.num_arms() * kFixed, width);
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t c = 0; c < kFixed; ++c) {
      const double effect = system_.fixed_effect(p, c);
      for (std::size_t k = 0; k < width; ++k) products(arm * kFixed + c, k) += effect * z(p, k);
    }
  }
  system_.ranks.add_up(products.values());
  v = Matrix<double>(share.num_arms() * kFixed, width);
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    for (std::size_t k = 0; k < width; ++k) {
      const Matrix<double>& inverse = fixed_inverse_[a][tasks[k]];
      for (std::size_t row = 0; row < kFixed; ++row) {
        for (std::size_t c = 0; c < kFixed; ++c) {
          const double wanted = g != nullptr ? (*g)(a * kFixed + c, k) : 0;
          v(a * kFixed + row, k) += inverse(row, c) * (products(a * kFixed + c, k) - wanted);
        }
      }
    }
  }
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t k = 0; k < width; ++k) {
      if (!system_.learns(p, tasks[k])) continue;
      for (std::size_t c = 0; c < kFixed; ++c) {
        z(p, k) -= solved_fixed_(p, tasks[k] * kFixed + c) * v(arm * kFixed + c, k);
      }
    }
  }
  return z;
}

}  // namespace cone::distributed
