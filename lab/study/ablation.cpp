#include "study/ablation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "network_ridge/groups.hpp"
#include "study/worlds.hpp"

namespace cone {
namespace {

constexpr std::string_view kStressed[] = {"unmeasured confounding", "weak overlap",
                                          "binary outcomes", "nonlinear"};
constexpr double kUndersmoothing[] = {1, 0.3, 0.1, 0.03, 0.01};

ValueGroup ablated(std::string label, const NetworkRidgeOptions& ridge) {
  ValueGroup group{.name = label, .rows = {{std::move(label), "network_dm"}}};
  group.options.network_ridge = ridge;
  // Most of the run time, and the table shows values only.
  group.options.sensitivity_interval = false;
  group.options.joint_model = false;
  return group;
}

std::vector<std::string> all_switches_but(std::string_view left_out) {
  std::vector<std::string> switches(kGroupSwitches.begin(), kGroupSwitches.end());
  std::erase(switches, left_out);
  return switches;
}

}  // namespace

std::vector<ValueGroup> ablation_groups() {
  const NetworkRidgeOptions defaults;
  std::vector<ValueGroup> groups = {ablated(std::string(kAblationLabel), defaults)};
  for (const std::string_view name : kGroupSwitches) {
    NetworkRidgeOptions ridge = defaults;
    ridge.ridge_groups = all_switches_but(name);
    groups.push_back(ablated(fmt::format("without {}", name), ridge));
  }
  NetworkRidgeOptions constant = defaults;
  constant.ridge_noise = RidgeNoise::kConstant;
  groups.push_back(ablated("constant noise", constant));
  NetworkRidgeOptions per_fold = defaults;
  per_fold.ridge_variances = VarianceFits::kPerFold;
  groups.push_back(ablated("variances per fold", per_fold));
  NetworkRidgeOptions validated = defaults;
  validated.ridge_criterion = RidgeCriterion::kCrossValidation;
  groups.push_back(ablated("one penalty by cross-validation", validated));
  for (const double u : kUndersmoothing) {
    if (u == defaults.undersmoothing) continue;
    NetworkRidgeOptions ridge = defaults;
    ridge.undersmoothing = u;
    groups.push_back(ablated(fmt::format("undersmoothing {}", u), ridge));
  }
  return groups;
}

std::vector<StudySetting> ablation_settings(std::span<const StudyNetwork> networks,
                                            std::span<const StudyNetwork> generated,
                                            std::uint64_t seed) {
  std::vector<StudySetting> settings = study_settings(networks, Normalisation::kNone, seed);
  for (StudySetting& world : world_settings({}, generated, seed)) {
    if (std::ranges::find(kStressed, world.name) != std::end(kStressed)) {
      settings.push_back(std::move(world));
    }
  }
  return settings;
}

ValueTable reproduce_ablation(const Context& context, std::span<const StudyNetwork> networks,
                              std::span<const StudyNetwork> generated, int simulations,
                              const UnitWork& work) {
  const ValuePlan plan{.settings = ablation_settings(networks, generated, context.seed()),
                       .groups = ablation_groups(),
                       .simulations = simulations,
                       .phase = "ablation",
                       .reference = std::string(kAblationLabel)};
  return run_value_study(context, plan, work);
}

}  // namespace cone
