#include <algorithm>
#include <array>

#include "cone/estimate.hpp"

namespace cone {
namespace {

// Which paper a method is from. Formulas, with influence functions: docs/method.md, section 4.
//
// ips            Horvitz and Thompson (1952), A generalization of sampling without replacement from
//                a finite universe.
// snips          Hájek (1971); Swaminathan and Joachims (2015), The self-normalized estimator for
//                counterfactual learning.
// ips_clipped    Ionides (2008), Truncated importance sampling.
// dr_*           Robins, Rotnitzky and Zhao (1994), Estimation of regression coefficients when some
//                regressors are not always observed; Dudík, Langford and Li (2011), Doubly robust
//                policy evaluation and learning.
// switch_dr      Wang, Agarwal and Dudík (2017), Optimal and adaptive off-policy evaluation in
//                contextual bandits.
// dr_shrinkage   Su, Dimakopoulou, Krishnamurthy and Dudík (2020), Doubly robust off-policy
//                evaluation with shrinkage: the optimistic shrinkage.
// okb            Bennett and Kallus (2019), Policy evaluation with latent confounders via optimal
//                balance; Kallus (2018), Balanced policy evaluation and learning.
// cone, cone_*   Guo, Li and Liu (2020), Counterfactual evaluation of treatment assignment
//                functions with networked observational data.
// network_joint  docs/joint_model.md.
// network_dm     ridge regression on features and network (docs/network_ridge.md), whose variance
//                components are fitted by REML: Patterson and Thompson (1971), Recovery of
//                inter-block information when block sizes are unequal.
// cohesion_dm    Li, Levina and Zhu (2019), Prediction models for network-linked data.
// spectral_dm    Le and Li (2022), Linear regression and its inference on noisy network-linked
// data. spectral_dr    Veitch, Wang and Blei (2019), Using embeddings to correct for unobserved
//                confounding in networks; with eigenvectors as embeddings.
constexpr std::array kCatalogue = {
    EstimatorInfo{"network_dm", Method::kDirect, LearnerId::kNetworkRidge, LearnerId::kNone,
                  "direct method with network ridge (variance components by REML): recommended"},
    EstimatorInfo{"network_joint", Method::kJointModel, LearnerId::kNetworkRidge, LearnerId::kNone,
                  "network_dm moved by the joint model of treatment and outcome"},
    EstimatorInfo{"network_dr", Method::kCautiousCorrection, LearnerId::kNetworkRidge,
                  LearnerId::kNetworkTreatment,
                  "network_dm with a shrunken doubly robust correction"},
    EstimatorInfo{"naive", Method::kArmMeans, LearnerId::kNone, LearnerId::kNone,
                  "mean outcome of each arm, unadjusted for confounding"},
    EstimatorInfo{"ips", Method::kInversePropensity, LearnerId::kNone, LearnerId::kLogistic,
                  "inverse propensity weighting (Horvitz-Thompson)"},
    EstimatorInfo{"snips", Method::kSelfNormalised, LearnerId::kNone, LearnerId::kLogistic,
                  "self-normalised inverse propensity weighting (Hajek)"},
    EstimatorInfo{"ips_clipped", Method::kClippedInversePropensity, LearnerId::kNone,
                  LearnerId::kLogistic,
                  "inverse propensity weighting with weights clipped at --clip"},
    EstimatorInfo{"dm_ols1", Method::kDirect, LearnerId::kOls1, LearnerId::kNone,
                  "direct method with one least-squares regression, the arm a covariate"},
    EstimatorInfo{"dm_ols2", Method::kDirect, LearnerId::kOls2, LearnerId::kNone,
                  "direct method with one least-squares regression per arm"},
    EstimatorInfo{"dm_ridge", Method::kDirect, LearnerId::kRidge, LearnerId::kNone,
                  "direct method with one ridge regression per arm"},
    EstimatorInfo{"dm_nn", Method::kDirect, LearnerId::kNetworks, LearnerId::kNone,
                  "direct method with one neural network per arm"},
    EstimatorInfo{"dr_ols1", Method::kDoublyRobust, LearnerId::kOls1, LearnerId::kLogistic,
                  "doubly robust with one least-squares outcome model, the arm a covariate"},
    EstimatorInfo{"dr_ols2", Method::kDoublyRobust, LearnerId::kOls2, LearnerId::kLogistic,
                  "doubly robust with least-squares outcome models"},
    EstimatorInfo{"dr_ridge", Method::kDoublyRobust, LearnerId::kRidge, LearnerId::kLogistic,
                  "doubly robust (AIPW, self-normalised) with ridge outcome models"},
    EstimatorInfo{"dr_nn", Method::kDoublyRobust, LearnerId::kNetworks, LearnerId::kLogistic,
                  "doubly robust with neural-network outcome models"},
    EstimatorInfo{"switch_dr", Method::kSwitch, LearnerId::kRidge, LearnerId::kLogistic,
                  "Switch-DR: dr_ridge without weights above --switch-threshold"},
    EstimatorInfo{"dr_shrinkage", Method::kShrinkage, LearnerId::kRidge, LearnerId::kLogistic,
                  "dr_ridge with weights shrunk by --shrinkage-lambda (optimistic shrinkage)"},
    EstimatorInfo{"cohesion_dm", Method::kDirect, LearnerId::kCohesion, LearnerId::kNone,
                  "direct method with regression with network cohesion per arm"},
    EstimatorInfo{"spectral_dm", Method::kDirect, LearnerId::kSpectral, LearnerId::kNone,
                  "direct method with ridge on features and the network's leading eigenvectors"},
    EstimatorInfo{"spectral_dr", Method::kDoublyRobust, LearnerId::kSpectral, LearnerId::kSpectral,
                  "doubly robust, both models on features and the network's leading eigenvectors"},
    EstimatorInfo{"okb", Method::kKernelBalancing, LearnerId::kNone, LearnerId::kKernel,
                  "optimal kernel balancing on features"},
    EstimatorInfo{"cone", Method::kDoublyRobust, LearnerId::kCone, LearnerId::kCone,
                  "CONE: doubly robust on representations learnt by graph attention"},
    EstimatorInfo{"cone_dm", Method::kDirect, LearnerId::kCone, LearnerId::kNone,
                  "direct method with the outcome networks of cone"},
    EstimatorInfo{"cone_ips", Method::kInversePropensity, LearnerId::kNone, LearnerId::kCone,
                  "inverse propensity weighting on cone's representations"},
    EstimatorInfo{"cone_snips", Method::kSelfNormalised, LearnerId::kNone, LearnerId::kCone,
                  "self-normalised inverse propensity weighting on cone's representations"},
    EstimatorInfo{"cone_okb", Method::kKernelBalancing, LearnerId::kNone, LearnerId::kCone,
                  "optimal kernel balancing on cone's representations"},
    EstimatorInfo{"dm", Method::kDirect, LearnerId::kGiven, LearnerId::kNone,
                  "direct method with the given outcome model"},
    EstimatorInfo{"dr", Method::kDoublyRobust, LearnerId::kGiven, LearnerId::kLogistic,
                  "AIPW with the given outcome model"},
};

}  // namespace

bool EstimatorInfo::runs_by_default() const {
  return outcome != LearnerId::kGiven && outcome != LearnerId::kCohesion &&
         outcome != LearnerId::kSpectral && !needs_balance() && name != "cone_ips" &&
         name != "cone_snips";
}

std::span<const EstimatorInfo> estimator_catalogue() { return kCatalogue; }

const EstimatorInfo* find_estimator(std::string_view name) {
  const auto* found = std::find_if(kCatalogue.begin(), kCatalogue.end(),
                                   [name](const EstimatorInfo& row) { return row.name == name; });
  return found == kCatalogue.end() ? nullptr : found;
}

std::string_view doubly_robust_on(LearnerId outcome) {
  for (const EstimatorInfo& row : kCatalogue) {
    const bool corrects =
        row.method == Method::kDoublyRobust || row.method == Method::kCautiousCorrection;
    if (corrects && row.outcome == outcome) return row.name;
  }
  return "dr";
}

std::vector<std::string_view> default_estimators(bool given_nuisances) {
  std::vector<std::string_view> names;
  if (given_nuisances) {
    return {"naive", "ips", "snips", "ips_clipped", "dm", "dr", "switch_dr", "dr_shrinkage"};
  }
  for (const EstimatorInfo& row : kCatalogue) {
    if (row.runs_by_default()) names.push_back(row.name);
  }
  return names;
}

}  // namespace cone
