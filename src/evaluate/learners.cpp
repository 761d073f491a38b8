#include <algorithm>

#include "cone/error.hpp"

#include "cone_networks/cone_learner.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/learning.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/treatment_ridge.hpp"
#include "nuisance/cohesion_learner.hpp"
#include "nuisance/given_learner.hpp"
#include "nuisance/kernel_learner.hpp"
#include "nuisance/linear_learner.hpp"
#include "nuisance/logistic_learner.hpp"
#include "nuisance/network_learner.hpp"
#include "nuisance/spectral_learner.hpp"

// All learners: a new one is one case here, one name in LearnerId, and its estimators in the
// catalogue.

namespace cone {
namespace {

std::unique_ptr<Learner> make_cone_learner(std::span<const EstimatorInfo> rows,
                                           const EvaluateOptions& options, const FittedModel* model,
                                           ConeFit* networks) {
  ConeLearnerOptions cone{.plan = options.plan,
                          .networks = options.cone,
                          .propensity_bound = options.nuisance.propensity_bound};
  const bool balances = std::any_of(rows.begin(), rows.end(), [](const EstimatorInfo& row) {
    return row.needs_balance() && row.weights == LearnerId::kCone;
  });
  if (balances) cone.kernel = options.kernel;
  return std::make_unique<ConeLearner>(cone, networks_of(model), networks);
}

}  // namespace

std::unique_ptr<Learner> make_learner(LearnerId learner, std::span<const EstimatorInfo> rows,
                                      const EvaluateOptions& options, const FittedModel* model,
                                      ConeFit* networks) {
  switch (learner) {
    case LearnerId::kNone:
      break;
    case LearnerId::kGiven:
      return std::make_unique<GivenLearner>();
    case LearnerId::kLogistic:
      return std::make_unique<LogisticLearner>(options.nuisance);
    case LearnerId::kOls1:
      return std::make_unique<LinearLearner>(LinearModel::kOls1, options.nuisance);
    case LearnerId::kOls2:
      return std::make_unique<LinearLearner>(LinearModel::kOls2, options.nuisance);
    case LearnerId::kRidge:
      return std::make_unique<LinearLearner>(LinearModel::kRidge, options.nuisance);
    case LearnerId::kNetworks:
      return std::make_unique<NetworkLearner>(options.cone);
    case LearnerId::kKernel:
      return std::make_unique<KernelLearner>(options.kernel);
    case LearnerId::kCone:
      return make_cone_learner(rows, options, model, networks);
    case LearnerId::kNetworkRidge:
      return std::make_unique<NetworkRidgeLearner>(
          options.network_ridge, VarianceSource{.known = network_ridge_of(model)});
    case LearnerId::kCohesion:
      return std::make_unique<CohesionLearner>(options.nuisance);
    case LearnerId::kSpectral: {
      const bool learns_propensity = std::ranges::any_of(
          rows, [](const EstimatorInfo& row) { return row.weights == LearnerId::kSpectral; });
      return std::make_unique<SpectralLearner>(options.nuisance, learns_propensity);
    }
    case LearnerId::kNetworkTreatment:
      return std::make_unique<NetworkTreatmentLearner>(options.network_ridge,
                                                       options.nuisance.propensity_bound);
  }
  throw Error(ErrorCode::kInternal, Fault{.what = "evaluate: no such learner"});
}

}  // namespace cone
