#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "study/study.hpp"

namespace cone {
namespace {

constexpr std::array kWeighting = {StudyMethod{"naive", "naive"}, StudyMethod{"ips", "ips"},
                                   StudyMethod{"snips", "snips"},
                                   StudyMethod{"ips_clipped", "ips_clipped"}};
constexpr std::array kOls = {StudyMethod{"dm_ols1", "dm_ols1"}, StudyMethod{"dm_ols2", "dm_ols2"},
                             StudyMethod{"dr_ols1", "dr_ols1"}, StudyMethod{"dr_ols2", "dr_ols2"}};
constexpr std::array kRidge = {StudyMethod{"dm_ridge", "dm_ridge"},
                               StudyMethod{"dr_ridge", "dr_ridge"}};
constexpr std::array kNetworks = {StudyMethod{"dm_nn", "dm_nn"}, StudyMethod{"dr_nn", "dr_nn"}};
constexpr std::array kBalancing = {
    StudyMethod{"okb", "okb"}, StudyMethod{"okb, unconstrained", "okb", Correction::kSelfNormalised,
                                           /*normalised_kernel=*/false}};
constexpr std::array kCone = {StudyMethod{"cone", "cone"},
                              StudyMethod{"cone, literal", "cone", Correction::kLiteral},
                              StudyMethod{"cone, plain", "cone", Correction::kPlain},
                              StudyMethod{"cone_dm", "cone_dm"},
                              StudyMethod{"cone_ips", "cone_ips"},
                              StudyMethod{"cone_snips", "cone_snips"},
                              StudyMethod{"cone_okb", "cone_okb"}};
constexpr std::array kNetworkRidge = {StudyMethod{"network_dm", "network_dm"},
                                      StudyMethod{"network_dr", "network_dr"}};
constexpr std::array kJointModel = {StudyMethod{"network_joint", "network_joint"}};
constexpr std::array kNetworkBaselines = {StudyMethod{"cohesion_dm", "cohesion_dm"},
                                          StudyMethod{"spectral_dm", "spectral_dm"},
                                          StudyMethod{"spectral_dr", "spectral_dr"}};

constexpr std::array kGroups = {
    MethodGroup{"weighting", kWeighting},
    MethodGroup{"ols", kOls},
    MethodGroup{"ridge", kRidge},
    MethodGroup{kNetworksGroup, kNetworks},
    MethodGroup{"balancing", kBalancing},
    MethodGroup{kConeGroup, kCone},
    MethodGroup{"network baselines", kNetworkBaselines},
    MethodGroup{"network ridge", kNetworkRidge, FitNodes::kTrainAndValidation},
    MethodGroup{"joint model", kJointModel, FitNodes::kAll}};

/// The methods of figure 2; the rest of cone's methods would cost a third more.
constexpr std::array kFigureMethods = {StudyMethod{"cone", "cone"},
                                       StudyMethod{"cone_dm", "cone_dm"}};
constexpr MethodGroup kFigureGroup = {kConeGroup, kFigureMethods};

}  // namespace

std::span<const MethodGroup> method_groups() { return kGroups; }

std::vector<MethodGroup> choose_groups(std::span<const std::string> estimators) {
  if (estimators.empty()) return {kGroups.begin(), kGroups.end()};
  std::vector<MethodGroup> chosen;
  std::set<std::string_view> known;
  for (const MethodGroup& group : kGroups) {
    bool is_wanted = false;
    for (const StudyMethod& method : group.methods) {
      known.insert(method.estimator);
      is_wanted = is_wanted || std::ranges::find(estimators, method.estimator) != estimators.end();
    }
    if (is_wanted) chosen.push_back(group);
  }
  std::vector<Fault> faults;
  for (const std::string& name : estimators) {
    if (known.contains(name)) continue;
    faults.push_back({{.item = "--estimators"},
                      fmt::format("'{}' is not an estimator of table 2", printable(name)),
                      fmt::format("choose among {}", fmt::join(known, ", "))});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
  return chosen;
}

const MethodGroup& figure_methods() { return kFigureGroup; }

}  // namespace cone
