#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "nn/parameter_store.hpp"

namespace cone {

/// The memory of one pass through the critic, for m pairs.
template <class Real>
struct CriticWorkspace {
  Matrix<Real> from_treatment;  ///< m × hidden: z^t·W_t, then its gradient
  Matrix<Real> from_outcome;    ///< m × hidden: z^y·W_y, then its gradient
  Matrix<Real> hidden;          ///< 2m × hidden: joint pairs, then shuffled ones
  Matrix<Real> values;          ///< 2m × 1
  Matrix<Real> d_hidden;
  Matrix<Real> d_values;
  std::vector<std::uint32_t> partner_of;  ///< inverse of the permutation

  std::span<const Real> joint() const { return values.values().first(values.rows() / 2); }
  std::span<const Real> shuffled() const { return values.values().last(values.rows() / 2); }
  std::span<Real> d_joint() { return d_values.values().first(values.rows() / 2); }
  std::span<Real> d_shuffled() { return d_values.values().last(values.rows() / 2); }
};

/// The critic h(z^t, z^y) of the mutual information (MINE; Belghazi et al. 2018, "Mutual
/// information neural estimation"): a network with one hidden layer of ELUs on [z^t ; z^y],
/// evaluated on the m joint pairs (z^t_i, z^y_i) and on the m shuffled pairs (z^t_i,
/// z^y_permutation(i)). The hidden layer is linear before its ELU, so the two halves of its product
/// are computed once for the m nodes and added in pairs: half of the work of 2m rows. Tensors
/// critic.weight1 (2·tower columns × hidden), .bias1, .weight2, .bias2. The bound does not depend
/// on critic.bias2, which is kept so that h is the network of the paper.
class PairCritic {
 public:
  PairCritic(nn::ParameterLayout& layout, std::size_t tower_columns, std::size_t hidden);

  template <class Real>
  void initialise(nn::ParameterStore<Real>& parameters, std::uint64_t seed) const;

  /// z: m × 2·tower columns, a row per node. Fills workspace.joint() and .shuffled().
  template <class Real>
  void forward(const Context& context, const nn::ParameterStore<Real>& parameters,
               MatrixView<const Real> z, std::span<const std::uint32_t> permutation,
               CriticWorkspace<Real>& workspace) const;

  /// After forward() on the same z and with d_joint() and d_shuffled() filled: overwrites the
  /// gradients of the critic's tensors and d_z.
  template <class Real>
  void backward(const Context& context, nn::ParameterStore<Real>& parameters,
                MatrixView<const Real> z, CriticWorkspace<Real>& workspace,
                MatrixView<Real> d_z) const;

 private:
  std::size_t tower_columns_;
  std::size_t hidden_;
  nn::TensorId weight1_;
  nn::TensorId bias1_;
  nn::TensorId weight2_;
  nn::TensorId bias2_;
};

}  // namespace cone
