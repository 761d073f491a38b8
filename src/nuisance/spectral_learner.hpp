#pragma once

#include "cone/learn.hpp"
#include "cone/options.hpp"

namespace cone {

/// Ridge outcome models and, where asked for, logistic propensities on the features and the
/// network's leading eigenvectors (spectral_embedding.hpp), by LinearLearner and LogisticLearner.
///
/// After Le and Li (2022), Linear regression and its inference on noisy network-linked data:
/// regression on features and the leading eigenspace of the network. Theirs is least squares; here
/// both parts are penalised, as for dm_ridge, since features may outnumber the nodes. After Veitch,
/// Wang and Blei (2019), Using embeddings to correct for unobserved confounding in networks:
/// embeddings of the nodes as covariates of the outcome and the propensity model. Theirs are
/// trained on treatments and outcomes too; the eigenvectors are not.
///
/// The eigenvectors together have the variance of all scaled features together, so that one penalty
/// expects the same of the network and of the features, however many columns either has. Without
/// eigenvectors (no edges, or no structure in them) the models are those on the features, and a
/// warning says so.
class SpectralLearner : public Learner {
 public:
  SpectralLearner(const NuisanceOptions& options, bool learns_propensity)
      : options_(options), learns_propensity_(learns_propensity) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  Nuisances fit_on(const Context& context, const Dataset& data, const FitPlan& plan,
                   const NuisanceOptions& options) const;

  NuisanceOptions options_;
  bool learns_propensity_;
};

}  // namespace cone
