#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/graph.hpp"
#include "cone/options.hpp"

#include "cone_networks/pair_critic.hpp"
#include "cone_networks/tower_encoder.hpp"
#include "nn/mlp.hpp"
#include "nn/parameter_store.hpp"

namespace cone {

/// Nodes with their logged treatments and outcomes, in the same order.
template <class Real>
struct LoggedNodes {
  std::vector<NodeIndex> nodes;
  std::vector<Real> outcome;
  std::vector<Arm> treatment;
};

struct EncoderLosses {
  double outcome = 0;
  double treatment = 0;
  double mutual_information = 0;  ///< minus the Donsker–Varadhan bound
};

/// The sizes of an encoder that depend on the data.
struct DataShape {
  std::size_t num_features = 0;
  std::size_t num_arms = 2;
};

/// The parts of an encoder and the layout of their tensors. Allocates no tensors.
template <class Real>
struct EncoderParts {
  EncoderParts(const DataShape& shape, const ConeOptions& options);

  nn::ParameterLayout layout;  // first: the parts below add their tensors to it
  TowerEncoder<Real> towers;
  nn::Mlp outcome_head;
  nn::Mlp treatment_head;  ///< logits of the arms against the control arm
  PairCritic critic;
};

/// CONE's encoder with its heads, critic and objective (Guo, Li and Liu 2020), and the memory of
/// one pass:
///
///   L^y  = mean (f^y(z^y_i) − y_i)²
///   L^t  = mean cross-entropy of f^t(z^t_i) against t_i
///   L^MI = −mean h(z^t_i, z^y_i) + log mean exp h(z^t_i, z^y_permutation(i))
///   L    = L^y + γ L^t + ζ L^MI
///
/// −L^MI is the Donsker–Varadhan lower bound on the mutual information of z^t and z^y, estimated by
/// a neural critic as in MINE (Belghazi et al. 2018, "Mutual information neural estimation");
/// training maximises it. A step is encode(), objective(), backward(), in this order and on the
/// same inputs.
template <class Real>
class Encoder {
 public:
  Encoder(const DataShape& shape, const ConeOptions& options);

  nn::ParameterStore<Real>& parameters() { return parameters_; }
  const nn::ParameterStore<Real>& parameters() const { return parameters_; }
  const TowerEncoder<Real>& towers() const { return parts_.towers; }

  void initialise(std::uint64_t seed);

  /// z = [z^t | z^y] of all nodes, valid until the next call.
  const Matrix<Real>& encode(const Context& context, const Graph& graph,
                             const FeatureViews<Real>& features, const nn::Dropout* dropout);

  /// The losses of the nodes from the last encode(), and the gradients of heads and critic. Nodes
  /// are distinct; permutation is one of 0, ..., nodes − 1.
  EncoderLosses objective(const Context& context, const LoggedNodes<Real>& train,
                          std::span<const std::uint32_t> permutation);

  /// The gradients of the towers, after objective().
  void backward(const Context& context, const Graph& graph, const FeatureViews<Real>& features,
                const nn::Dropout* dropout);

  /// L^y and L^t of other nodes from the last encode(), without gradients.
  EncoderLosses supervised_losses(const Context& context, const LoggedNodes<Real>& nodes);

 private:
  /// The memory of the heads for one set of nodes.
  struct HeadWorkspace {
    Matrix<Real> z;  // of the nodes
    Matrix<Real> d_z;
    nn::MlpWorkspace<Real> outcome;
    nn::MlpWorkspace<Real> treatment;
  };

  EncoderLosses head_losses(const Context& context, const LoggedNodes<Real>& logged,
                            HeadWorkspace& workspace);
  MatrixView<const Real> treatment_part(const Matrix<Real>& z) const;
  MatrixView<const Real> outcome_part(const Matrix<Real>& z) const;

  double gamma_;
  double zeta_;
  EncoderParts<Real> parts_;
  nn::ParameterStore<Real> parameters_;
  const Matrix<Real>* z_ = nullptr;  // of the last encode()
  Matrix<Real> d_z_;
  HeadWorkspace train_;
  HeadWorkspace other_;
  CriticWorkspace<Real> critic_;
};

inline ops::Adjacency adjacency(const Graph& graph) {
  return {graph.offsets(), graph.neighbours()};
}

}  // namespace cone
