#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/group_kernels.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The factorised equations of one arm: exact, for some thousands of nodes. One inverse serves all
/// tasks: with P = C⁻¹ − C⁻¹B(B'C⁻¹B)⁻¹B'C⁻¹ over all positions that any task learns from, holding
/// out the positions I of a task subtracts P_·I(P_II)⁻¹P_I·. O(m³) time to factorise and m² numbers
/// of memory, then O(m²) per column.
class DenseArm {
 public:
  /// `kernels`: between the positions of the arm that any task learns from, in order. The arm must
  /// have been learnt; all of its nodes are on this rank.
  DenseArm(const Context& context, const RidgeSystem& system, std::size_t arm,
           const ArmKernels& kernels);

  /// The number of positions that any task learns from.
  std::size_t size() const { return projection_.rows(); }

  /// Without iterative refinement, which needs a product with the kernel. f: these positions ×
  /// columns, and x likewise; g and lambda: kNumFixed × columns.
  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const;

 private:
  struct Task {
    std::vector<char> learns;           ///< from each row
    std::vector<std::size_t> held_out;  ///< rows
    Matrix<double> factor;              ///< of P_II, I the rows held out
  };

  std::vector<std::size_t> fixed_columns_;
  Matrix<double> projection_;     ///< P
  Matrix<double> fixed_map_;      ///< G = (B'C⁻¹B)⁻¹B'C⁻¹, positions × fixed columns
  Matrix<double> fixed_inverse_;  ///< (B'C⁻¹B)⁻¹
  std::vector<Task> tasks_;
};

}  // namespace cone
