#include "estimate/catalogue.hpp"

#include <algorithm>
#include <array>

namespace cone {
namespace {

constexpr std::array kCatalogue = {
    EstimatorInfo{"naive", Method::kArmMeans, "", "", "mean outcome of each arm, no adjustment"},
    EstimatorInfo{"ips", Method::kInversePropensity, "", "features",
                  "inverse propensity weighting"},
    EstimatorInfo{"snips", Method::kSelfNormalised, "", "features",
                  "self-normalised inverse propensity"},
    EstimatorInfo{"ips_clipped", Method::kClippedInversePropensity, "", "features",
                  "inverse propensity with weights cut at --clip"},
    EstimatorInfo{"dm_ols1", Method::kDirect, "ols1", "", "one regression, treatment as a column"},
    EstimatorInfo{"dm_ols2", Method::kDirect, "ols2", "", "one regression per arm"},
    EstimatorInfo{"dm_ridge", Method::kDirect, "ridge", "", "one ridge regression per arm"},
    EstimatorInfo{"dm_nn", Method::kDirect, "nn", "", "one network per arm"},
    EstimatorInfo{"dr_ols1", Method::kDoublyRobust, "ols1", "features",
                  "dm_ols1 corrected by weights"},
    EstimatorInfo{"dr_ols2", Method::kDoublyRobust, "ols2", "features",
                  "dm_ols2 corrected by weights"},
    EstimatorInfo{"dr_ridge", Method::kDoublyRobust, "ridge", "features",
                  "dm_ridge corrected by weights"},
    EstimatorInfo{"dr_nn", Method::kDoublyRobust, "nn", "features", "dm_nn corrected by weights"},
    EstimatorInfo{"switch_dr", Method::kSwitch, "ridge", "features",
                  "dr_ridge without the weights above --switch-threshold"},
    EstimatorInfo{"dr_shrinkage", Method::kShrinkage, "ridge", "features",
                  "dr_ridge with weights shrunk by --shrinkage-lambda"},
    EstimatorInfo{"okb", Method::kKernelBalancing, "", "", "optimal kernel balancing", "features"},
    EstimatorInfo{"cone", Method::kDoublyRobust, "cone", "cone",
                  "networks on representations learnt from the graph, corrected by weights"},
    EstimatorInfo{"cone_dm", Method::kDirect, "cone", "", "the outcome networks of cone alone"},
    EstimatorInfo{"cone_ips", Method::kInversePropensity, "", "cone",
                  "inverse propensity weighting on cone's representations"},
    EstimatorInfo{"cone_snips", Method::kSelfNormalised, "", "cone", "cone_ips, self-normalised"},
    EstimatorInfo{"cone_okb", Method::kKernelBalancing, "", "",
                  "optimal kernel balancing on cone's representations", "cone"},
    EstimatorInfo{"dm", Method::kDirect, "given", "", "the given outcome model alone"},
    EstimatorInfo{"dr", Method::kDoublyRobust, "given", "features",
                  "the given outcome model, corrected"},
};

}  // namespace

bool EstimatorInfo::runs_by_default() const {
  return outcome_model != "given" && kernel.empty() && name != "cone_ips" && name != "cone_snips";
}

std::span<const EstimatorInfo> estimator_catalogue() { return kCatalogue; }

const EstimatorInfo* find_estimator(std::string_view name) {
  const auto* found = std::find_if(kCatalogue.begin(), kCatalogue.end(),
                                   [name](const EstimatorInfo& row) { return row.name == name; });
  return found == kCatalogue.end() ? nullptr : found;
}

std::string_view doubly_robust_on(std::string_view outcome_model) {
  for (const EstimatorInfo& row : kCatalogue) {
    if (row.method == Method::kDoublyRobust && row.outcome_model == outcome_model) return row.name;
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
