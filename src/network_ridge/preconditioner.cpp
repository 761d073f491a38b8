#include "network_ridge/preconditioner.hpp"

#include <algorithm>
#include <cmath>

#include <cblas.h>

#include "cone/error.hpp"

#include "base/random.hpp"
#include "exec/one_blas_thread.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

constexpr std::size_t kPlacesPerPiece = 2048;
/// Random vectors that are multiplied at a time.
constexpr std::size_t kVectorsAtATime = 32;
constexpr std::size_t kFixed = RidgeSystem::kNumFixed;

MatrixView<const double> take_arm(const RidgeInputs& inputs, const Matrix<double>& table,
                                  std::size_t arm) {
  return {table.row(inputs.arm_begin[arm]).data(),
          inputs.arm_begin[arm + 1] - inputs.arm_begin[arm], table.cols(), table.cols()};
}

bool learns_at_all(const RidgeSystem& system, std::size_t place) {
  return std::any_of(system.learns_from.begin(), system.learns_from.end(),
                     [&](const std::vector<char>& task) { return task[place] != 0; });
}

/// Normal draws that belong to the node, whatever the order of the arms.
void draw_vectors(const Context& context, const RidgeSystem& system, std::size_t first,
                  Matrix<double>& out) {
  context.for_each_range(out.rows(), kPlacesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      if (!learns_at_all(system, p)) continue;
      for (std::size_t c = 0; c < out.cols(); ++c) {
        Rng rng(first + c, Stream::kPreconditioner, system.inputs->node_at[p]);
        out(p, c) = rng.normal();
      }
    }
  });
}

}  // namespace

RidgePreconditioner::RidgePreconditioner(const Context& context, const RidgeSystem& system,
                                         std::size_t rank)
    : system_(system) {
  for (std::size_t p = 0; p < system.inputs->num_nodes(); ++p) {
    inverse_noise_.push_back(1 / system.noise_at(p));
  }
  make_factor(context, rank);
  make_small_factors(context);
  make_fixed(context);
}

void RidgePreconditioner::make_factor(const Context& context, std::size_t rank) {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t n = inputs.num_nodes();
  Matrix<double> random(n, rank);
  factor_ = Matrix<double>(n, rank);
  for (std::size_t first = 0; first < rank; first += kVectorsAtATime) {
    context.report("preparing the equations", first, rank);
    Matrix<double> block(n, std::min(kVectorsAtATime, rank - first));
    draw_vectors(context, system_, first, block);
    const Matrix<double> product = multiply_own_kernels(context, system_, block);
    for (std::size_t p = 0; p < n; ++p) {
      const bool learns = learns_at_all(system_, p);
      for (std::size_t c = 0; c < block.cols(); ++c) {
        random(p, first + c) = block(p, c);
        factor_(p, first + c) = learns ? product(p, c) : 0;
      }
    }
  }
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    Matrix<double> core = ops::multiply_transposed(context, take_arm(inputs, random, a),
                                                   take_arm(inputs, factor_, a));
    double trace = 0;
    for (std::size_t k = 0; k < rank; ++k) trace += core(k, k);
    // The block may span less than its width, as where few nodes explain everything.
    bool is_good = trace > 0;
    if (is_good) {
      for (std::size_t k = 0; k < rank; ++k) core(k, k) += 1e-9 * trace;
      is_good = ops::factorise_cholesky(context, core.view());
    }
    const std::size_t begin = inputs.arm_begin[a];
    context.for_each_range(
        inputs.arm_begin[a + 1] - begin, kPlacesPerPiece, [&](std::size_t from, std::size_t to) {
          if (!is_good) {
            std::fill(factor_.row(begin + from).data(),
                      factor_.row(begin + from).data() + (to - from) * rank, 0.0);
            return;
          }
          const OneBlasThread guard;
          cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                      static_cast<int>(to - from), static_cast<int>(rank), 1.0, core.data(),
                      static_cast<int>(rank), factor_.row(begin + from).data(),
                      static_cast<int>(rank));
        });
  }
}

void RidgePreconditioner::make_small_factors(const Context& context) {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t rank = factor_.cols();
  small_.assign(inputs.num_arms(), std::vector<SmallFactors>(system_.num_tasks()));
  for (std::size_t t = 0; t < system_.num_tasks(); ++t) {
    Matrix<double> weighted(factor_.rows(), rank);
    context.for_each_range(factor_.rows(), kPlacesPerPiece,
                           [&](std::size_t begin, std::size_t end) {
                             for (std::size_t p = begin; p < end; ++p) {
                               if (system_.learns_from[t][p] == 0) continue;
                               const double root = std::sqrt(inverse_noise_[p]);
                               for (std::size_t k = 0; k < rank; ++k)
                                 weighted(p, k) = root * factor_(p, k);
                             }
                           });
    for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
      const MatrixView<const double> part = take_arm(inputs, weighted, a);
      Matrix<double> inner = ops::multiply_transposed(context, part, part);
      for (std::size_t k = 0; k < rank; ++k) inner(k, k) += 1;
      require(ops::factorise_cholesky(context, inner.view()), "preconditioner: no factor");
      small_[a][t].inner = std::move(inner);
    }
  }
}

void RidgePreconditioner::make_fixed(const Context& context) {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t n = inputs.num_nodes();
  const std::size_t num_tasks = system_.num_tasks();
  Matrix<double> fixed(n, num_tasks * kFixed);
  std::vector<std::size_t> tasks;
  for (std::size_t t = 0; t < num_tasks; ++t) tasks.insert(tasks.end(), kFixed, t);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t k = 0; k < fixed.cols(); ++k) {
      fixed(p, k) = system_.fixed_effect(p, k % kFixed);
    }
  }
  mask(tasks, fixed);
  solved_fixed_ = apply(context, tasks, fixed);
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    const Matrix<double> products = ops::multiply_transposed(context, take_arm(inputs, fixed, a),
                                                             take_arm(inputs, solved_fixed_, a));
    const std::vector<std::size_t>& kept = system_.arms[a].fixed_columns;
    for (std::size_t t = 0; t < num_tasks; ++t) {
      SmallSystem small(kept.size());
      for (std::size_t r = 0; r < kept.size(); ++r) {
        for (std::size_t c = 0; c < kept.size(); ++c) {
          small.matrix(r, c) = products(t * kFixed + kept[r], t * kFixed + kept[c]);
        }
      }
      require(small.factorise(), "preconditioner: dependent fixed effects");
      Matrix<double>& inverse = small_[a][t].fixed_inverse;
      inverse = Matrix<double>(kFixed, kFixed);
      for (std::size_t c = 0; c < kept.size(); ++c) {
        std::vector<double> unit(kept.size(), 0.0);
        unit[c] = 1;
        small.solve(unit);
        for (std::size_t r = 0; r < kept.size(); ++r) inverse(kept[r], kept[c]) = unit[r];
      }
    }
  }
}

void RidgePreconditioner::mask(std::span<const std::size_t> tasks, Matrix<double>& v) const {
  for (std::size_t p = 0; p < v.rows(); ++p) {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (system_.learns_from[tasks[k]][p] == 0) v(p, k) = 0;
    }
  }
}

Matrix<double> RidgePreconditioner::apply(const Context& context,
                                          std::span<const std::size_t> tasks,
                                          const Matrix<double>& r) const {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t rank = factor_.cols();
  auto out = Matrix<double>::unfilled(r.rows(), r.cols());
  context.for_each_range(r.rows(), kPlacesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t k = 0; k < r.cols(); ++k) out(p, k) = inverse_noise_[p] * r(p, k);
    }
  });
  if (rank == 0) return out;
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    Matrix<double> inner =
        ops::multiply_transposed(context, take_arm(inputs, factor_, a), take_arm(inputs, out, a));
    context.for_each_range(r.cols(), 1, [&](std::size_t k, std::size_t) {
      const OneBlasThread guard;
      const Matrix<double>& factor = small_[a][tasks[k]].inner;
      for (const auto transposition : {CblasNoTrans, CblasTrans}) {
        cblas_dtrsv(CblasRowMajor, CblasLower, transposition, CblasNonUnit, static_cast<int>(rank),
                    factor.data(), static_cast<int>(rank), inner.data() + k,
                    static_cast<int>(inner.cols()));
      }
    });
    const Matrix<double> taken = ops::multiply(context, take_arm(inputs, factor_, a), inner.view());
    const std::size_t first = inputs.arm_begin[a];
    context.for_each_range(taken.rows(), kPlacesPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t p = first + i;
        for (std::size_t k = 0; k < r.cols(); ++k) {
          const bool learns = system_.learns_from[tasks[k]][p] != 0;
          out(p, k) = learns ? out(p, k) - inverse_noise_[p] * taken(i, k) : 0.0;
        }
      }
    });
  }
  return out;
}

Matrix<double> RidgePreconditioner::project(const Context& context,
                                            std::span<const std::size_t> tasks,
                                            const Matrix<double>* g, Matrix<double>& r,
                                            Matrix<double>& lambda) const {
  const RidgeInputs& inputs = *system_.inputs;
  Matrix<double> z = apply(context, tasks, r);
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    const std::size_t first = inputs.arm_begin[a];
    const std::size_t size = inputs.arm_begin[a + 1] - first;
    Matrix<double> fixed(size, kFixed);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t c = 0; c < kFixed; ++c) fixed(i, c) = system_.fixed_effect(first + i, c);
    }
    // z vanishes where the task does not learn, so B'z is over the places that it learns from.
    const Matrix<double> products =
        ops::multiply_transposed(context, fixed.view(), take_arm(inputs, z, a));
    Matrix<double> v(kFixed, r.cols());
    for (std::size_t k = 0; k < r.cols(); ++k) {
      const Matrix<double>& inverse = small_[a][tasks[k]].fixed_inverse;
      for (std::size_t row = 0; row < kFixed; ++row) {
        for (std::size_t c = 0; c < kFixed; ++c) {
          const double wanted = g != nullptr ? (*g)(a * kFixed + c, k) : 0;
          v(row, k) += inverse(row, c) * (products(c, k) - wanted);
        }
        lambda(a * kFixed + row, k) += v(row, k);
      }
    }
    context.for_each_range(size, kPlacesPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t p = first + i;
        for (std::size_t k = 0; k < r.cols(); ++k) {
          if (system_.learns_from[tasks[k]][p] == 0) continue;
          for (std::size_t c = 0; c < kFixed; ++c) {
            z(p, k) -= solved_fixed_(p, tasks[k] * kFixed + c) * v(c, k);
            r(p, k) -= fixed(i, c) * v(c, k);
          }
        }
      }
    });
  }
  return z;
}

}  // namespace cone
