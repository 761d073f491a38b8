#include "network_ridge/small_factors.hpp"

#include <algorithm>
#include <utility>

#include <cblas.h>

#include "cone/error.hpp"

#include "exec/one_blas_thread.hpp"
#include "ops/blas_int.hpp"
#include "ops/cholesky.hpp"

namespace cone {
namespace {

constexpr std::size_t kRowsPerPiece = 64;
/// Columns of an inverse that are computed together, and assigned to one rank.
constexpr std::size_t kColumnsPerBlock = 64;
/// Rows of a block that stay in the cache between a product with them and one with their transpose.
constexpr std::size_t kRowsInCache = 1024;
/// Smaller matrices take less than a tenth of a second: not worth the memory of more threads.
constexpr std::size_t kSlowSize = 1000;

/// Blocks are assigned back and forth, as the columns of the first ones are the longest.
std::size_t owner_of_block(std::size_t block, std::size_t num_processes) {
  const std::size_t index = block % (2 * num_processes);
  return index < num_processes ? index : 2 * num_processes - 1 - index;
}

/// The lower triangle, row by row.
std::vector<double> pack(const Matrix<double>& matrix) {
  std::vector<double> out;
  out.reserve(matrix.rows() * (matrix.rows() + 1) / 2);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    out.insert(out.end(), matrix.row(i).begin(),
               matrix.row(i).begin() + static_cast<std::ptrdiff_t>(i + 1));
  }
  return out;
}

Matrix<double> unpack(std::span<const double> packed, std::size_t size) {
  Matrix<double> out(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    std::ranges::copy(packed.subspan(i * (i + 1) / 2, i + 1), out.row(i).begin());
  }
  return out;
}

Matrix<double> take(const Matrix<double>& table, std::span<const std::size_t> columns) {
  auto out = Matrix<double>::unfilled(table.rows(), columns.size());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) out(i, k) = table(i, columns[k]);
  }
  return out;
}

}  // namespace

SmallFactors::SmallFactors(const Communicator& comm, std::size_t num_tasks, std::size_t size)
    : comm_(comm), size_(size) {
  if (is_single()) {
    factors_.assign(num_tasks, Matrix<double>(size, size));
    return;
  }
  for (std::size_t r = 0; r <= comm.size(); ++r) {
    begins_.push_back(num_packed() * r / comm.size());
  }
  const std::size_t own = begins_[comm.rank() + 1] - begins_[comm.rank()];
  parts_.assign(num_tasks, std::vector<double>(own, 0.0));
  inverses_.resize(num_tasks);
}

void SmallFactors::add(const Context& context, std::span<const char> tasks,
                       const Matrix<double>& product) {
  std::vector<double> packed;
  if (!is_single()) {
    packed = pack(product);
    comm_.reduce_scatter(packed, begins_);
  }
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t] == 0) continue;
    if (!is_single()) {
      const double* from = packed.data() + begins_[comm_.rank()];
      for (std::size_t k = 0; k < parts_[t].size(); ++k) parts_[t][k] += from[k];
      continue;
    }
    context.for_each_range(size_, kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t c = 0; c < size_; ++c) factors_[t](i, c) += product(i, c);
      }
    });
  }
}

void SmallFactors::factorise_here(const Context& context, Matrix<double>& matrix) const {
  for (std::size_t k = 0; k < size_; ++k) matrix(k, k) += 1;
  require(ops::factorise_cholesky(context, matrix.view()), "preconditioner: no factor");
}

void SmallFactors::factorise(const Context& context) {
  if (is_single()) {
    for (Matrix<double>& matrix : factors_) factorise_here(context, matrix);
    return;
  }
  // All matrices are gathered to their owners first: a rank that factorises keeps the others
  // waiting.
  std::vector<Matrix<double>> owned;
  for (std::size_t t = 0; t < parts_.size(); ++t) owned.push_back(collect(t));
  const std::size_t num_busy = std::min(parts_.size(), comm_.size());
  const Context busy = size_ < kSlowSize ? context : context.widen(comm_.count_cores_for(num_busy));
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    if (holds(t)) factorise_here(busy, owned[t]);
  }
  comm_.barrier();
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    std::vector<double> packed(num_packed());
    if (holds(t)) packed = pack(std::exchange(owned[t], {}));
    comm_.broadcast(owner_of(t), packed);
    take_columns(context, unpack(packed, size_), inverses_[t]);
  }
}

/// Gathers a task's matrix to its owner.
Matrix<double> SmallFactors::collect(std::size_t task) {
  std::vector<double> packed(holds(task) ? num_packed() : 0);
  comm_.gather(owner_of(task), std::exchange(parts_[task], {}), begins_, packed);
  return holds(task) ? unpack(packed, size_) : Matrix<double>();
}

/// This rank's columns of S⁻¹, S = L·L', from the diagonal down. Forward substitution leaves a
/// unit vector zero above its row, and back substitution stops there.
void SmallFactors::take_columns(const Context& context, const Matrix<double>& factor,
                                std::vector<Columns>& out) const {
  const std::size_t num_blocks = (size_ + kColumnsPerBlock - 1) / kColumnsPerBlock;
  for (std::size_t block = 0; block < num_blocks; ++block) {
    if (owner_of_block(block, comm_.size()) != comm_.rank()) continue;
    const std::size_t first = block * kColumnsPerBlock;
    const std::size_t width = std::min(kColumnsPerBlock, size_ - first);
    out.push_back({first, Matrix<double>(size_ - first, width)});
  }
  context.for_each_range(out.size(), 1, [&](std::size_t k, std::size_t) {
    const OneBlasThread guard;
    const std::size_t first = out[k].first;
    Matrix<double>& below = out[k].below;
    for (std::size_t c = 0; c < below.cols(); ++c) below(c, c) = 1;
    for (const auto transposition : {CblasNoTrans, CblasTrans}) {
      cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transposition, CblasNonUnit,
                  ops::blas_int(below.rows()), ops::blas_int(below.cols()), 1.0,
                  factor.data() + first * size_ + first, ops::blas_int(size_), below.data(),
                  ops::blas_int(below.cols()));
    }
    context.poll();
  });
}

void SmallFactors::solve_here(const Context& context, std::span<const std::size_t> tasks,
                              Matrix<double>& x) const {
  context.for_each_range(x.cols(), 1, [&](std::size_t k, std::size_t) {
    const OneBlasThread guard;
    for (const auto transposition : {CblasNoTrans, CblasTrans}) {
      cblas_dtrsv(CblasRowMajor, CblasLower, transposition, CblasNonUnit, ops::blas_int(size_),
                  factors_[tasks[k]].data(), ops::blas_int(size_), x.data() + k,
                  ops::blas_int(x.cols()));
    }
  });
}

void SmallFactors::multiply(std::span<const Columns> columns, const Matrix<double>& x,
                            Matrix<double>& y) const {
  const OneBlasThread guard;
  const int width = ops::blas_int(x.cols());
  for (const Columns& block : columns) {
    const Matrix<double>& below = block.below;
    const std::size_t square =
        below.cols();  // rows of the diagonal block, stored with both triangles
    for (std::size_t row = 0; row < below.rows(); row += kRowsInCache) {
      const std::size_t end = std::min(row + kRowsInCache, below.rows());
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, ops::blas_int(end - row), width,
                  ops::blas_int(square), 1.0, below.row(row).data(), ops::blas_int(square),
                  x.row(block.first).data(), width, 1.0, y.row(block.first + row).data(), width);
      const std::size_t from = std::max(row, square);
      if (from >= end) continue;
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, ops::blas_int(square), width,
                  ops::blas_int(end - from), 1.0, below.row(from).data(), ops::blas_int(square),
                  x.row(block.first + from).data(), width, 1.0, y.row(block.first).data(), width);
    }
  }
}

void SmallFactors::solve(const Context& context, std::span<const std::size_t> tasks,
                         Matrix<double>& x) const {
  if (is_single()) {
    solve_here(context, tasks, x);
    return;
  }
  std::vector<std::vector<std::size_t>> columns_of(inverses_.size());
  for (std::size_t k = 0; k < tasks.size(); ++k) columns_of[tasks[k]].push_back(k);
  Matrix<double> out(x.rows(), x.cols());
  context.for_each_range(columns_of.size(), 1, [&](std::size_t t, std::size_t) {
    if (columns_of[t].empty()) return;
    Matrix<double> y(size_, columns_of[t].size());
    multiply(inverses_[t], take(x, columns_of[t]), y);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < columns_of[t].size(); ++k) out(i, columns_of[t][k]) = y(i, k);
    }
  });
  comm_.allreduce(out.values());
  x = std::move(out);
}

}  // namespace cone
