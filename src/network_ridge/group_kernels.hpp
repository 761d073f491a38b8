#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/groups.hpp"
#include "network_ridge/inputs.hpp"

namespace cone {

/// The kernel of a group between some positions, K(i, j) = factor·s_i·s_j·products(i, j), where s
/// is 1/max(degree, 1) for a group of neighbour means and 1 otherwise. Groups of neighbour sums and
/// of neighbour means share products. A group of communities has no products but a label for every
/// position: K(i, j) = factor where the labels are equal.
struct GroupKernel {
  std::shared_ptr<const Matrix<double>> products;  ///< both triangles
  std::vector<std::uint32_t> labels;               ///< of communities, kNoCommunity: none
  bool averages = false;
  double factor = 1;
};

/// The kernels of all groups between some positions of one arm, and the degrees that its likelihood
/// needs.
struct ArmKernels {
  std::vector<GroupKernel> groups;
  std::vector<double> inverse_degree;   ///< of the positions
  std::vector<double> relative_degree;  ///< of the positions

  std::size_t size() const { return inverse_degree.size(); }
};

/// Uses all neighbours of every position, whichever arm they are in. O(positions²) memory per kind
/// of product; time at most O(positions² · columns) in BLAS.
ArmKernels make_kernels(const Context& context, const RidgeInputs& inputs,
                        std::span<const RidgeGroup> groups,
                        std::span<const std::uint32_t> positions);

/// The kernels between some of the rows, in the order given.
ArmKernels select_kernels(const Context& context, const ArmKernels& kernels,
                          std::span<const std::size_t> rows);

/// Σ_g variance_g·K_g + diagonal, lower triangle only.
Matrix<double> sum_kernels(const Context& context, const ArmKernels& kernels,
                           std::span<const double> variances, std::span<const double> diagonal);

}  // namespace cone
