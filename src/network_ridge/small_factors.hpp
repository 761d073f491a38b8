#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"
#include "cone/totals.hpp"

namespace cone {

/// Solves by symmetric matrices S = I + Σ products, one per task, some thousand columns wide. A
/// process that is alone keeps the Cholesky factor. Many share the work: a triangular solve goes
/// from row to row, so each has some columns of every S⁻¹, below the diagonal, and multiplies by
/// them. Functions are called by all processes; the totals must outlive it.
class SmallFactors {
 public:
  SmallFactors(const Totals& totals, std::size_t num_tasks, std::size_t size);

  /// Adds what this process has of a product, size × size, to the matrices of these tasks.
  void add(const Context& context, std::span<const char> tasks, const Matrix<double>& product);
  /// When all is added, once.
  void factorise(const Context& context);
  /// x, size × columns, becomes S⁻¹x, column k by the matrix of tasks[k]. All processes have the
  /// same x.
  void solve(const Context& context, std::span<const std::size_t> tasks, Matrix<double>& x) const;

 private:
  /// Columns [first, first + below.cols()) of S⁻¹, from the row `first` on.
  struct Columns {
    std::size_t first;
    Matrix<double> below;
  };
  bool is_alone() const { return !totals_.has_others(); }
  std::size_t owner_of(std::size_t task) const { return task % totals_.size(); }
  bool holds(std::size_t task) const { return owner_of(task) == totals_.rank(); }
  std::size_t num_packed() const { return size_ * (size_ + 1) / 2; }
  void factorise_here(const Context& context, Matrix<double>& matrix) const;
  Matrix<double> collect(std::size_t task);
  void take_columns(const Context& context, const Matrix<double>& factor,
                    std::vector<Columns>& out) const;
  void solve_here(const Context& context, std::span<const std::size_t> tasks,
                  Matrix<double>& x) const;
  /// y += S⁻¹x by the columns that this process has.
  void multiply(std::span<const Columns> columns, const Matrix<double>& x, Matrix<double>& y) const;

  const Totals& totals_;
  std::size_t size_;
  std::vector<Matrix<double>> factors_;         ///< of a process that is alone: L by task
  std::vector<std::size_t> begins_;             ///< of every process: where its part begins
  std::vector<std::vector<double>> parts_;      ///< by task, of the packed lower triangle
  std::vector<std::vector<Columns>> inverses_;  ///< by task
};

}  // namespace cone
