#include "nuisance/spectral_learner.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nuisance/feature_scaling.hpp"
#include "nuisance/fit_on_root.hpp"
#include "nuisance/linear_learner.hpp"
#include "nuisance/logistic_learner.hpp"
#include "nuisance/spectral_embedding.hpp"

namespace cone {
namespace {

/// The columns of the embedding, each times `factor`, before those of x.
FeatureMatrix prepend_columns(const Matrix<double>& embedding, double factor, FeatureMatrix x) {
  const std::size_t added = embedding.cols();
  std::vector<std::uint32_t> dense_columns;
  dense_columns.reserve(added + x.dense_columns().size());
  for (std::size_t k = 0; k < added; ++k) dense_columns.push_back(static_cast<std::uint32_t>(k));
  for (const std::uint32_t column : x.dense_columns()) {
    dense_columns.push_back(column + static_cast<std::uint32_t>(added));
  }
  const std::size_t num_columns = x.cols() + added;
  const auto [old_dense, old_sparse] = std::move(x).take_blocks();
  Matrix<double> dense(embedding.rows(), dense_columns.size());
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    for (std::size_t k = 0; k < added; ++k) dense(i, k) = factor * embedding(i, k);
    std::ranges::copy(old_dense.row(i), dense.row(i).begin() + static_cast<std::ptrdiff_t>(added));
  }
  std::vector<std::uint32_t> columns(old_sparse.columns().begin(), old_sparse.columns().end());
  for (std::uint32_t& column : columns) column += static_cast<std::uint32_t>(added);
  return {
      std::move(dense_columns), std::move(dense),
      SparseMatrix(num_columns, {old_sparse.offsets().begin(), old_sparse.offsets().end()},
                   std::move(columns), {old_sparse.values().begin(), old_sparse.values().end()})};
}

FeatureTable add_embedding(const Matrix<double>& embedding, const FeatureTable& features,
                           ScaledFeatures scaled) {
  const std::size_t added = embedding.cols();
  // Orthonormal columns of mean zero have variance 1/n.
  const double factor = std::sqrt(static_cast<double>(embedding.rows()) * scaled.total_variance /
                                  static_cast<double>(added));
  FeatureTable out{.matrix = prepend_columns(embedding, factor, std::move(scaled.matrix)),
                   .num_dense = features.num_dense + added};
  out.names.reserve(added + features.names.size());
  for (std::size_t k = 0; k < added; ++k) out.names.push_back(fmt::format("eigenvector {}", k + 1));
  out.names.insert(out.names.end(), features.names.begin(), features.names.end());
  return out;
}

/// A warning about an embedding that is empty or did not converge.
std::string describe(const SpectralEmbedding& embedding, const Graph& graph) {
  const std::size_t used = embedding.columns.cols();
  const std::string use = used == 0 ? "the spectral models use the features alone"
                                    : fmt::format("the spectral models use the first {}", used);
  const char* why = graph.num_edges() == 0 ? "the data has no edges"
                    : embedding.converged  ? "the network has no distinct leading eigenvectors"
                                           : "the network's eigenvectors did not converge";
  return fmt::format("{}: {}", why, use);
}

/// The implied weights read the data that the model was fitted to.
struct KeptFit {
  Dataset data;
  std::shared_ptr<const FitVariance> variance;
};

}  // namespace

Nuisances SpectralLearner::fit(const Context& context, const Dataset& data,
                               const FitPlan& plan) const {
  validate(options_);
  if (data.distributed) return fit_on_root(context, data, plan, *this);
  const SpectralEmbedding embedding = embed_network(context, data.graph);
  if (embedding.columns.cols() == 0) {
    Nuisances out = fit_on(context, data, plan, options_);
    out.outcome->warnings.push_back(describe(embedding, data.graph));
    return out;
  }
  auto kept = std::make_shared<KeptFit>(KeptFit{.data = data, .variance = nullptr});
  kept->data.features =
      add_embedding(embedding.columns, data.features,
                    scale_for_penalty(data.features, options_.feature_scaling, context.comm()));
  NuisanceOptions as_scaled = options_;
  as_scaled.feature_scaling = FeatureScaling::kNone;
  Nuisances out = fit_on(context, kept->data, plan, as_scaled);
  kept->variance = std::move(out.outcome->variance);
  out.outcome->variance = std::shared_ptr<const FitVariance>(kept, kept->variance.get());
  if (!embedding.converged) out.outcome->warnings.push_back(describe(embedding, data.graph));
  return out;
}

Nuisances SpectralLearner::fit_on(const Context& context, const Dataset& data, const FitPlan& plan,
                                  const NuisanceOptions& options) const {
  Nuisances out = LinearLearner(LinearModel::kRidge, options).fit(context, data, plan);
  if (learns_propensity_) {
    out.propensity = std::move(LogisticLearner(options).fit(context, data, plan).propensity);
  }
  return out;
}

}  // namespace cone
