#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Solves systems with the symmetric matrices S = I + Σ products, one per task, of some thousand
/// columns. A single process keeps the Cholesky factors. Several ranks share the work: a
/// triangular solve is sequential in its rows, so each rank has some columns of every S⁻¹, from
/// the diagonal down, and multiplies by them. Functions are collective; the communicator must
/// outlive it.
class SmallFactors {
 public:
  SmallFactors(const Communicator& comm, std::size_t num_tasks, std::size_t size);

  /// Adds this rank's part of a product, size × size, to the matrices of these tasks.
  void add(const Context& context, std::span<const char> tasks, const Matrix<double>& product);
  /// Once, after all calls of add().
  void factorise(const Context& context);
  /// x, size × columns, becomes S⁻¹x, column k by the matrix of tasks[k]. All ranks have the
  /// same x.
  void solve(const Context& context, std::span<const std::size_t> tasks, Matrix<double>& x) const;

 private:
  /// Columns [first, first + below.cols()) of S⁻¹, from row `first` down.
  struct Columns {
    std::size_t first;
    Matrix<double> below;
  };
  bool is_single() const { return !comm_.has_others(); }
  std::size_t owner_of(std::size_t task) const { return task % comm_.size(); }
  bool holds(std::size_t task) const { return owner_of(task) == comm_.rank(); }
  std::size_t num_packed() const { return size_ * (size_ + 1) / 2; }
  void factorise_here(const Context& context, Matrix<double>& matrix) const;
  Matrix<double> collect(std::size_t task);
  void take_columns(const Context& context, const Matrix<double>& factor,
                    std::vector<Columns>& out) const;
  void solve_here(const Context& context, std::span<const std::size_t> tasks,
                  Matrix<double>& x) const;
  /// Adds the contribution of this rank's columns to y = S⁻¹x.
  void multiply(std::span<const Columns> columns, const Matrix<double>& x, Matrix<double>& y) const;

  const Communicator& comm_;
  std::size_t size_;
  std::vector<Matrix<double>> factors_;         ///< of a single process: L by task
  std::vector<std::size_t> begins_;             ///< of every rank: start of its part
  std::vector<std::vector<double>> parts_;      ///< by task, of the packed lower triangle
  std::vector<std::vector<Columns>> inverses_;  ///< by task
};

}  // namespace cone
