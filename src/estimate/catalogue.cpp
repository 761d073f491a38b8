#include <algorithm>
#include <array>

#include "cone/estimate.hpp"

namespace cone {
namespace {

using enum LearnerId;

constexpr std::array kCatalogue = {
    EstimatorInfo{"network_dm", Method::kDirect, kNetworkRidge, kNone,
                  "ridge on features, network and neighbours, variances learnt: recommended"},
    EstimatorInfo{"network_dr", Method::kCautiousCorrection, kNetworkRidge, kLogistic,
                  "network_dm corrected by weights as far as the correction is sure"},
    EstimatorInfo{"naive", Method::kArmMeans, kNone, kNone,
                  "mean outcome of each arm, no adjustment"},
    EstimatorInfo{"ips", Method::kInversePropensity, kNone, kLogistic,
                  "inverse propensity weighting"},
    EstimatorInfo{"snips", Method::kSelfNormalised, kNone, kLogistic,
                  "self-normalised inverse propensity"},
    EstimatorInfo{"ips_clipped", Method::kClippedInversePropensity, kNone, kLogistic,
                  "inverse propensity with weights cut at --clip"},
    EstimatorInfo{"dm_ols1", Method::kDirect, kOls1, kNone,
                  "one regression, treatment as a column"},
    EstimatorInfo{"dm_ols2", Method::kDirect, kOls2, kNone, "one regression per arm"},
    EstimatorInfo{"dm_ridge", Method::kDirect, kRidge, kNone, "one ridge regression per arm"},
    EstimatorInfo{"dm_nn", Method::kDirect, kNetworks, kNone, "one network per arm"},
    EstimatorInfo{"dr_ols1", Method::kDoublyRobust, kOls1, kLogistic,
                  "dm_ols1 corrected by weights"},
    EstimatorInfo{"dr_ols2", Method::kDoublyRobust, kOls2, kLogistic,
                  "dm_ols2 corrected by weights"},
    EstimatorInfo{"dr_ridge", Method::kDoublyRobust, kRidge, kLogistic,
                  "dm_ridge corrected by weights"},
    EstimatorInfo{"dr_nn", Method::kDoublyRobust, kNetworks, kLogistic,
                  "dm_nn corrected by weights"},
    EstimatorInfo{"switch_dr", Method::kSwitch, kRidge, kLogistic,
                  "dr_ridge without the weights above --switch-threshold"},
    EstimatorInfo{"dr_shrinkage", Method::kShrinkage, kRidge, kLogistic,
                  "dr_ridge with weights shrunk by --shrinkage-lambda"},
    EstimatorInfo{"okb", Method::kKernelBalancing, kNone, kKernel, "optimal kernel balancing"},
    EstimatorInfo{"cone", Method::kDoublyRobust, kCone, kCone,
                  "networks on representations learnt from the graph, corrected by weights"},
    EstimatorInfo{"cone_dm", Method::kDirect, kCone, kNone, "the outcome networks of cone alone"},
    EstimatorInfo{"cone_ips", Method::kInversePropensity, kNone, kCone,
                  "inverse propensity weighting on cone's representations"},
    EstimatorInfo{"cone_snips", Method::kSelfNormalised, kNone, kCone, "cone_ips, self-normalised"},
    EstimatorInfo{"cone_okb", Method::kKernelBalancing, kNone, kCone,
                  "optimal kernel balancing on cone's representations"},
    EstimatorInfo{"dm", Method::kDirect, kGiven, kNone, "the given outcome model alone"},
    EstimatorInfo{"dr", Method::kDoublyRobust, kGiven, kLogistic,
                  "the given outcome model, corrected"},
};

}  // namespace

bool EstimatorInfo::runs_by_default() const {
  return outcome != kGiven && !needs_balance() && name != "cone_ips" && name != "cone_snips";
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
