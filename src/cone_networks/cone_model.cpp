#include "cone_networks/cone_model.hpp"

#include <algorithm>

#include "nn/losses.hpp"
#include "nn/workspace.hpp"

namespace cone {
namespace {

constexpr std::size_t kBlockRows = 256;

}  // namespace

ConeArchitecture::ConeArchitecture(std::size_t num_features, const ConeOptions& options)
    : towers(layout, num_features, options),
      outcome_head(layout, "outcome_head", {towers.tower_columns(), options.hidden, 1}),
      treatment_head(layout, "treatment_head", {towers.tower_columns(), 1}),
      critic(layout, towers.tower_columns(), options.hidden) {}

template <class Real>
ConeModel<Real>::ConeModel(std::size_t num_features, const ConeOptions& options)
    : gamma_(options.gamma),
      zeta_(options.zeta),
      architecture_(num_features, options),
      parameters_(architecture_.layout) {}

template <class Real>
void ConeModel<Real>::initialise(std::uint64_t seed) {
  std::fill(parameters_.values().begin(), parameters_.values().end(), Real{0});
  architecture_.towers.initialise(parameters_, seed);
  architecture_.outcome_head.initialise(parameters_, seed);
  architecture_.treatment_head.initialise(parameters_, seed);
  architecture_.critic.initialise(parameters_, seed);
}

template <class Real>
MatrixView<const Real> ConeModel<Real>::treatment_part(const Matrix<Real>& z) const {
  return nn::columns(z.view(), 0, towers().tower_columns());
}

template <class Real>
MatrixView<const Real> ConeModel<Real>::outcome_part(const Matrix<Real>& z) const {
  return nn::columns(z.view(), towers().tower_columns(), towers().tower_columns());
}

template <class Real>
const Matrix<Real>& ConeModel<Real>::encode(const Context& context, const Graph& graph,
                                            const FeatureOperand<Real>& features,
                                            const nn::Dropout* dropout) {
  architecture_.towers.forward(context, parameters_, adjacency(graph), features, dropout, towers_);
  return towers_.z();
}

template <class Real>
ConeLosses ConeModel<Real>::head_losses(const Context& context, const LoggedNodes<Real>& logged,
                                        HeadWorkspace& workspace) {
  HeadWorkspace& w = workspace;
  nn::reshape(w.z, logged.nodes.size(), towers().columns());
  context.for_each_range(logged.nodes.size(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Real> row = towers_.z().row(logged.nodes[i]);
      std::copy(row.begin(), row.end(), w.z.row(i).begin());
    }
  });
  architecture_.outcome_head.forward(context, parameters_, outcome_part(w.z), w.outcome);
  architecture_.treatment_head.forward(context, parameters_, treatment_part(w.z), w.treatment);
  ConeLosses losses;
  losses.outcome =
      nn::mean_squared_error<Real>(w.outcome.activations.back().values(), logged.outcome, 1,
                                   w.outcome.gradients.back().values());
  losses.treatment =
      nn::binary_cross_entropy<Real>(w.treatment.activations.back().values(), logged.treatment,
                                     gamma_, w.treatment.gradients.back().values());
  return losses;
}

template <class Real>
ConeLosses ConeModel<Real>::supervised_losses(const Context& context,
                                              const LoggedNodes<Real>& nodes) {
  return head_losses(context, nodes, other_);
}

template <class Real>
ConeLosses ConeModel<Real>::objective(const Context& context, const LoggedNodes<Real>& train,
                                      std::span<const std::uint32_t> permutation) {
  ConeLosses losses = head_losses(context, train, train_);
  const MatrixView<const Real> z = train_.z.view();
  architecture_.critic.forward(context, parameters_, z, permutation, critic_);
  losses.mutual_information = nn::negative_donsker_varadhan<Real>(
      critic_.joint(), critic_.shuffled(), zeta_, critic_.d_joint(), critic_.d_shuffled());

  nn::reshape(train_.d_z, z.rows(), z.cols());
  const MatrixView<Real> d_z = train_.d_z.view();
  const std::size_t width = towers().tower_columns();
  architecture_.critic.backward(context, parameters_, z, critic_, d_z);
  architecture_.treatment_head.backward(context, parameters_, treatment_part(train_.z),
                                        train_.treatment, nn::columns(d_z, 0, width));
  architecture_.outcome_head.backward(context, parameters_, outcome_part(train_.z), train_.outcome,
                                      nn::columns(d_z, width, width));

  Matrix<Real>& d_all = towers_.d_z;
  nn::reshape(d_all, towers_.z().rows(), towers().columns());
  context.for_each_range(d_all.rows(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    std::fill(d_all.row(begin).data(), d_all.row(begin).data() + (end - begin) * d_all.cols(),
              Real{0});
  });
  context.for_each_range(train.nodes.size(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Real> row = d_z.row(i);
      std::copy(row.begin(), row.end(), d_all.row(train.nodes[i]).begin());
    }
  });
  return losses;
}

template <class Real>
void ConeModel<Real>::backward(const Context& context, const Graph& graph,
                               const FeatureOperand<Real>& features, const nn::Dropout* dropout) {
  architecture_.towers.backward(context, parameters_, adjacency(graph), features, dropout, towers_);
}

template class ConeModel<float>;
template class ConeModel<double>;

}  // namespace cone
