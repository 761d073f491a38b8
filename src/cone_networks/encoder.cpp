#include "cone_networks/encoder.hpp"

#include <algorithm>

#include "cone/options.hpp"

#include "nn/losses.hpp"
#include "nn/workspace.hpp"

namespace cone {
namespace {

constexpr std::size_t kBlockRows = 256;

}  // namespace

template <class Real>
EncoderParts<Real>::EncoderParts(const DataShape& shape, const ConeOptions& options)
    : towers(layout, shape.num_features, options),
      outcome_head(layout, "outcome_head", {towers.tower_columns(), options.hidden, 1}),
      treatment_head(layout, "treatment_head", {towers.tower_columns(), shape.num_arms - 1}),
      critic(layout, towers.tower_columns(), options.hidden) {}

template <class Real>
Encoder<Real>::Encoder(const DataShape& shape, const ConeOptions& options)
    : gamma_(options.gamma),
      zeta_(options.zeta),
      parts_(shape, options),
      parameters_(parts_.layout) {}

template <class Real>
void Encoder<Real>::initialise(std::uint64_t seed) {
  std::fill(parameters_.values().begin(), parameters_.values().end(), Real{0});
  parts_.towers.initialise(parameters_, seed);
  parts_.outcome_head.initialise(parameters_, seed);
  parts_.treatment_head.initialise(parameters_, seed);
  parts_.critic.initialise(parameters_, seed);
}

template <class Real>
MatrixView<const Real> Encoder<Real>::treatment_part(const Matrix<Real>& z) const {
  return nn::columns(z.view(), 0, towers().tower_columns());
}

template <class Real>
MatrixView<const Real> Encoder<Real>::outcome_part(const Matrix<Real>& z) const {
  return nn::columns(z.view(), towers().tower_columns(), towers().tower_columns());
}

template <class Real>
const Matrix<Real>& Encoder<Real>::encode(const Context& context, const Graph& graph,
                                          const FeatureViews<Real>& features,
                                          const nn::Dropout* dropout) {
  z_ = &parts_.towers.forward(context, parameters_, adjacency(graph), features, dropout);
  return *z_;
}

template <class Real>
EncoderLosses Encoder<Real>::head_losses(const Context& context, const LoggedNodes<Real>& logged,
                                         HeadWorkspace& workspace) {
  HeadWorkspace& w = workspace;
  nn::reshape(w.z, logged.nodes.size(), towers().columns());
  context.for_each_range(logged.nodes.size(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Real> row = z_->row(logged.nodes[i]);
      std::copy(row.begin(), row.end(), w.z.row(i).begin());
    }
  });
  parts_.outcome_head.forward(context, parameters_, outcome_part(w.z), w.outcome);
  parts_.treatment_head.forward(context, parameters_, treatment_part(w.z), w.treatment);
  EncoderLosses losses;
  losses.outcome =
      nn::mean_squared_error<Real>(w.outcome.activations.back().values(), logged.outcome, 1,
                                   w.outcome.gradients.back().values());
  losses.treatment = nn::arm_cross_entropy<Real>(w.treatment.output(), logged.treatment, gamma_,
                                                 w.treatment.d_output());
  return losses;
}

template <class Real>
EncoderLosses Encoder<Real>::supervised_losses(const Context& context,
                                               const LoggedNodes<Real>& nodes) {
  return head_losses(context, nodes, other_);
}

template <class Real>
EncoderLosses Encoder<Real>::objective(const Context& context, const LoggedNodes<Real>& train,
                                       std::span<const std::uint32_t> permutation) {
  EncoderLosses losses = head_losses(context, train, train_);
  const MatrixView<const Real> z = train_.z.view();
  parts_.critic.forward(context, parameters_, z, permutation, critic_);
  losses.mutual_information = nn::negative_donsker_varadhan<Real>(
      critic_.joint(), critic_.shuffled(), zeta_, critic_.d_joint(), critic_.d_shuffled());

  nn::reshape(train_.d_z, z.rows(), z.cols());
  const MatrixView<Real> d_z = train_.d_z.view();
  const std::size_t width = towers().tower_columns();
  parts_.critic.backward(context, parameters_, z, critic_, d_z);
  parts_.treatment_head.backward(context, parameters_, treatment_part(train_.z), train_.treatment,
                                 nn::columns(d_z, 0, width));
  parts_.outcome_head.backward(context, parameters_, outcome_part(train_.z), train_.outcome,
                               nn::columns(d_z, width, width));

  Matrix<Real>& d_all = d_z_;
  nn::reshape(d_all, z_->rows(), towers().columns());
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
void Encoder<Real>::backward(const Context& context, const Graph& graph,
                             const FeatureViews<Real>& features, const nn::Dropout* dropout) {
  parts_.towers.backward(context, parameters_, adjacency(graph), features, dropout, d_z_.view());
}

template struct EncoderParts<float>;
template struct EncoderParts<double>;
template class Encoder<float>;
template class Encoder<double>;

}  // namespace cone
