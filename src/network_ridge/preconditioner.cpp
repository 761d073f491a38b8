#include "network_ridge/preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <map>

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
constexpr std::size_t kRowsPerTask = 64;
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
                                         PreconditionerSize size)
    : system_(system), words_(system, size.word_columns) {
  for (std::size_t p = 0; p < system.inputs->num_nodes(); ++p) {
    inverse_noise_.push_back(1 / system.noise_at(p));
  }
  make_factor(context, size.rank);
  make_small_factors(context);
  make_fixed(context);
}

void RidgePreconditioner::make_factor(const Context& context, std::size_t rank) {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t n = inputs.num_nodes();
  RidgeSystem rest = system_;  // what words do not make up
  for (std::size_t g = 0; g < rest.groups.size(); ++g) {
    if (!words_.has(rest.groups[g].kind)) continue;
    for (ArmModel& model : rest.arms) model.group_variances[g] = 0;
  }
  Matrix<double> random(n, rank);
  factor_ = Matrix<double>(n, rank);
  for (std::size_t first = 0; first < rank; first += kVectorsAtATime) {
    context.report("preparing the equations", first, rank);
    Matrix<double> block(n, std::min(kVectorsAtATime, rank - first));
    draw_vectors(context, system_, first, block);
    const Matrix<double> product = multiply_own_kernels(context, rest, block);
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

Matrix<double> RidgePreconditioner::weigh_products(const Context& context, std::size_t arm,
                                                   std::span<const std::uint32_t> places) const {
  const std::size_t num_words = words_.num_columns();
  const std::size_t rank = num_words + factor_.cols();
  Matrix<double> out(rank, rank);
  for (std::size_t first = 0; first < places.size(); first += kPlacesPerPiece) {
    const auto some = places.subspan(first, std::min(kPlacesPerPiece, places.size() - first));
    Matrix<double> rows(rank, some.size());
    words_.write_rows(context, arm, some, rows);
    context.for_each_range(rank, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        for (std::size_t i = 0; i < some.size(); ++i) {
          if (c >= num_words) rows(c, i) = factor_(some[i], c - num_words);
          rows(c, i) *= std::sqrt(inverse_noise_[some[i]]);
        }
      }
    });
    ops::add_row_products(context, rows.view(), out);
  }
  return out;
}

void RidgePreconditioner::make_small_factors(const Context& context) {
  const std::size_t num_tasks = system_.num_tasks();
  const std::size_t rank = words_.num_columns() + factor_.cols();
  small_.assign(system_.inputs->num_arms(), std::vector<SmallFactors>(num_tasks));
  for (std::size_t a = 0; a < small_.size(); ++a) {
    // Places that the same tasks learn from: with folds, one part per fold.
    std::map<std::vector<char>, std::vector<std::uint32_t>> parts;
    for (const std::uint32_t p : system_.places_of_arm(a)) {
      std::vector<char> tasks(num_tasks);
      for (std::size_t t = 0; t < num_tasks; ++t) tasks[t] = system_.learns_from[t][p];
      parts[tasks].push_back(p);
    }
    for (SmallFactors& factors : small_[a]) factors.inner = Matrix<double>(rank, rank);
    std::size_t done = 0;
    for (const auto& [tasks, places] : parts) {
      context.report("preparing the equations", done++, parts.size());
      const Matrix<double> products = weigh_products(context, a, places);
      for (std::size_t t = 0; t < num_tasks; ++t) {
        if (tasks[t] == 0) continue;
        Matrix<double>& inner = small_[a][t].inner;
        context.for_each_range(rank, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
          for (std::size_t r = begin; r < end; ++r) {
            for (std::size_t c = 0; c < rank; ++c) inner(r, c) += products(r, c);
          }
        });
      }
    }
    for (SmallFactors& factors : small_[a]) {
      for (std::size_t k = 0; k < rank; ++k) factors.inner(k, k) += 1;
      require(ops::factorise_cholesky(context, factors.inner.view()), "preconditioner: no factor");
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
  const std::size_t num_words = words_.num_columns();
  const std::size_t rank = num_words + factor_.cols();
  auto out = Matrix<double>::unfilled(r.rows(), r.cols());
  context.for_each_range(r.rows(), kPlacesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t k = 0; k < r.cols(); ++k) out(p, k) = inverse_noise_[p] * r(p, k);
    }
  });
  if (rank == 0) return out;
  const std::vector<Matrix<double>> by_words = words_.multiply_transposed(context, out);
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    Matrix<double> inner(rank, r.cols());
    std::ranges::copy(by_words[a].values(), inner.data());
    const Matrix<double> by_factor =
        ops::multiply_transposed(context, take_arm(inputs, factor_, a), take_arm(inputs, out, a));
    std::ranges::copy(by_factor.values(), inner.data() + num_words * r.cols());
    context.for_each_range(r.cols(), 1, [&](std::size_t k, std::size_t) {
      const OneBlasThread guard;
      const Matrix<double>& factor = small_[a][tasks[k]].inner;
      for (const auto transposition : {CblasNoTrans, CblasTrans}) {
        cblas_dtrsv(CblasRowMajor, CblasLower, transposition, CblasNonUnit, static_cast<int>(rank),
                    factor.data(), static_cast<int>(rank), inner.data() + k,
                    static_cast<int>(inner.cols()));
      }
    });
    const MatrixView<const double> of_words(inner.data(), num_words, r.cols(), r.cols());
    const MatrixView<const double> of_factor(inner.data() + num_words * r.cols(), factor_.cols(),
                                             r.cols(), r.cols());
    Matrix<double> taken = ops::multiply(context, take_arm(inputs, factor_, a), of_factor);
    words_.add_product(context, a, of_words, taken.view());
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
