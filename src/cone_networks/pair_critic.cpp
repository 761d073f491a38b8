#include "cone_networks/pair_critic.hpp"

#include <utility>

#include "nn/initialise.hpp"
#include "nn/workspace.hpp"
#include "ops/dense.hpp"

namespace cone {
namespace {

constexpr std::size_t kPairsPerBlock = 256;

template <class Real>
void add(std::span<const Real> a, std::span<const Real> b, std::span<Real> out) {
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = a[c] + b[c];
}

}  // namespace

PairCritic::PairCritic(nn::ParameterLayout& layout, std::size_t tower_columns, std::size_t hidden)
    : tower_columns_(tower_columns),
      hidden_(hidden),
      weight1_(layout.add_weight("critic.weight1", 2 * tower_columns, hidden)),
      bias1_(layout.add_bias("critic.bias1", hidden)),
      weight2_(layout.add_weight("critic.weight2", hidden, 1)),
      bias2_(layout.add_bias("critic.bias2", 1)) {}

template <class Real>
void PairCritic::initialise(nn::ParameterStore<Real>& parameters, std::uint64_t seed) const {
  nn::xavier_uniform(parameters, weight1_, 2 * tower_columns_, hidden_, seed);
  nn::xavier_uniform(parameters, weight2_, hidden_, 1, seed);
}

template <class Real>
void PairCritic::forward(const Context& context, const nn::ParameterStore<Real>& parameters,
                         MatrixView<const Real> z, std::span<const std::uint32_t> permutation,
                         CriticWorkspace<Real>& workspace) const {
  CriticWorkspace<Real>& w = workspace;
  const std::size_t m = z.rows();
  nn::reshape(w.from_treatment, m, hidden_);
  nn::reshape(w.from_outcome, m, hidden_);
  nn::reshape(w.hidden, 2 * m, hidden_);
  nn::reshape(w.d_hidden, 2 * m, hidden_);
  nn::reshape(w.values, 2 * m, 1);
  nn::reshape(w.d_values, 2 * m, 1);
  w.partner_of.resize(m);
  for (std::uint32_t i = 0; i < m; ++i) w.partner_of[permutation[i]] = i;

  const MatrixView<const Real> weight1 = parameters.value(weight1_);
  ops::multiply(context, nn::columns(z, 0, tower_columns_), nn::rows(weight1, 0, tower_columns_),
                w.from_treatment.view());
  ops::multiply(context, nn::columns(z, tower_columns_, tower_columns_),
                nn::rows(weight1, tower_columns_, tower_columns_), w.from_outcome.view());
  context.for_each_range(m, kPairsPerBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Real> treatment = w.from_treatment.row(i);
      add<Real>(treatment, w.from_outcome.row(i), w.hidden.row(i));
      add<Real>(treatment, w.from_outcome.row(permutation[i]), w.hidden.row(m + i));
    }
  });
  ops::bias_elu(context, parameters.value(bias1_).row(0), w.hidden.view());
  ops::multiply(context, nn::constant(w.hidden), parameters.value(weight2_), w.values.view());
  for (Real& value : w.values.values()) value += parameters.value(bias2_)(0, 0);
}

template <class Real>
void PairCritic::backward(const Context& context, nn::ParameterStore<Real>& parameters,
                          MatrixView<const Real> z, CriticWorkspace<Real>& workspace,
                          MatrixView<Real> d_z) const {
  CriticWorkspace<Real>& w = workspace;
  const std::size_t m = z.rows();
  const nn::ParameterStore<Real>& values = parameters;
  const auto d_values = nn::constant(w.d_values);
  ops::column_sums(context, d_values, parameters.gradient(bias2_).row(0));
  ops::multiply_transposed_a(context, nn::constant(w.hidden), d_values,
                             parameters.gradient(weight2_));
  ops::multiply_transposed_b(context, d_values, values.value(weight2_), w.d_hidden.view());
  ops::bias_elu_backward(context, nn::constant(w.hidden), w.d_hidden.view(),
                         parameters.gradient(bias1_).row(0));
  context.for_each_range(m, kPairsPerBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Real> joint = w.d_hidden.row(i);
      add<Real>(joint, w.d_hidden.row(m + i), w.from_treatment.row(i));
      add<Real>(joint, w.d_hidden.row(m + w.partner_of[i]), w.from_outcome.row(i));
    }
  });
  const MatrixView<const Real> weight1 = values.value(weight1_);
  const MatrixView<Real> d_weight1 = parameters.gradient(weight1_);
  std::size_t first = 0;
  for (const Matrix<Real>* d_half : {&w.from_treatment, &w.from_outcome}) {
    const auto d = nn::constant(*d_half);
    ops::multiply_transposed_a(context, nn::columns(z, first, tower_columns_), d,
                               nn::rows(d_weight1, first, tower_columns_));
    ops::multiply_transposed_b(context, d, nn::rows(weight1, first, tower_columns_),
                               nn::columns(d_z, first, tower_columns_));
    first += tower_columns_;
  }
}

#define CONE_INSTANTIATE(Real)                                                              \
  template void PairCritic::initialise(nn::ParameterStore<Real>&, std::uint64_t) const;     \
  template void PairCritic::forward(const Context&, const nn::ParameterStore<Real>&,        \
                                    MatrixView<const Real>, std::span<const std::uint32_t>, \
                                    CriticWorkspace<Real>&) const;                          \
  template void PairCritic::backward(const Context&, nn::ParameterStore<Real>&,             \
                                     MatrixView<const Real>, CriticWorkspace<Real>&,        \
                                     MatrixView<Real>) const;
CONE_INSTANTIATE(float)
CONE_INSTANTIATE(double)
#undef CONE_INSTANTIATE

}  // namespace cone
