#include "study/worlds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cone/estimate.hpp"

#include "estimate/significance.hpp"
#include "simulate/self_contained.hpp"
#include "study/joined_estimates.hpp"

namespace cone {
namespace {

constexpr double kMeanDegree = 30;
constexpr std::array<std::string_view, 4> kHarmReferences = {"naive", "dm_ridge", "cone",
                                                             "cone_dm"};

/// Further methods that use the network, which run on request only.
constexpr std::array<std::string_view, 3> kBaselines = {"cohesion_dm", "spectral_dm",
                                                        "spectral_dr"};

struct SyntheticWorld {
  std::string_view name;
  OutcomeOptions outcome;
  bool has_edges = true;
};

std::vector<SyntheticWorld> synthetic_worlds() {
  return {{"unmeasured confounding", {.world = World::kHiddenConfounding}},
          {"heterogeneous effects", {.world = World::kHeterogeneousEffects}},
          {"weak overlap", {.world = World::kWeakOverlap}},
          {"randomised treatment", {.world = World::kRandomisedLog}},
          {"binary outcomes", {.world = World::kBinaryOutcomes}},
          {"kappa1 = 10, kappa2 = 0", {.kappa1 = 10, .kappa2 = 0}},
          {"nonlinear", {.world = World::kNonlinear, .noise = 0.1}},
          {"nonlinear, no edges", {.world = World::kNonlinear, .noise = 0.1}, /*has_edges=*/false}};
}

double squared_p(const std::vector<double>& method, const std::vector<double>& best) {
  std::vector<double> of_method;
  std::vector<double> of_best;
  for (std::size_t s = 0; s < method.size(); ++s) {
    if (!std::isfinite(method[s]) || !std::isfinite(best[s])) continue;
    of_method.push_back(method[s] * method[s]);
    of_best.push_back(HarmVerdict::kTolerance * HarmVerdict::kTolerance * best[s] * best[s]);
  }
  if (of_method.size() < 2) return 1;
  const double p = paired_t_test_less(of_best, of_method).p;
  return std::isfinite(p) ? p : 1;
}

/// The reference method with the least RMSE; empty if none has a value.
std::optional<std::size_t> best_reference(const ValueTable& table, std::size_t policy,
                                          std::size_t setting) {
  std::optional<std::size_t> best;
  const std::vector<ValueCell>& cells = table.cells[setting][policy];
  for (const std::string_view name : kHarmReferences) {
    const auto method = table.find_method(name);
    if (!method || !std::isfinite(cells[*method].errors.rmse)) continue;
    if (!best || cells[*method].errors.rmse < cells[*best].errors.rmse) best = method;
  }
  return best;
}

}  // namespace

std::vector<StudyNetwork> generate_study_networks(const Context& context,
                                                  const WorldsOptions& options) {
  validate(options);
  NetworkOptions network;
  network.nodes = options.nodes;
  // Small networks, as in tests, cannot have a larger mean degree.
  network.mean_degree = std::min(kMeanDegree, static_cast<double>(options.nodes) / 25);
  std::vector<StudyNetwork> networks;
  networks.push_back(name_network("synthetic", synthetic_topic_network(context, network)));
  network.mean_degree = 0;
  networks.push_back(
      name_network("synthetic, no edges", synthetic_topic_network(context, network)));
  return networks;
}

std::vector<StudySetting> world_settings(std::span<const StudyNetwork> networks,
                                         std::span<const StudyNetwork> generated,
                                         std::uint64_t seed) {
  std::vector<StudySetting> settings;
  for (std::size_t k = 0; k < networks.size(); ++k) {
    const bool row = k % 2 == 0;
    settings.push_back(
        {.name = fmt::format("{}, {}", networks[k].name, row ? "row-normalised" : "symmetric"),
         .network = &networks[k],
         .outcome = {.kappa2 = 2,
                     .normalisation = row ? Normalisation::kRow : Normalisation::kSymmetric},
         .seed = seed});
  }
  for (const SyntheticWorld& world : synthetic_worlds()) {
    settings.push_back({.name = std::string(world.name),
                        .network = &generated[world.has_edges ? 0 : 1],
                        .outcome = world.outcome,
                        .seed = seed});
  }
  for (const World world : self_contained_worlds()) {
    if (num_arms(world) == 2) settings.push_back(self_contained_setting(world, seed));
  }
  return settings;
}

std::vector<HarmVerdict> judge_harm(const ValueTable& table) {
  std::vector<HarmVerdict> verdicts;
  for (std::size_t p = 0; p < kStudyPolicies.size(); ++p) {
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      if (!is_network_row(table.methods[m])) continue;
      for (std::size_t s = 0; s < table.settings.size(); ++s) {
        const auto best = best_reference(table, p, s);
        const ValueCell& cell = table.cells[s][p][m];
        if (!best || !std::isfinite(cell.errors.rmse)) continue;
        const ValueCell& reference = table.cells[s][p][*best];
        verdicts.push_back({.policy = std::string(kStudyPolicies[p]),
                            .setting = table.settings[s],
                            .method = table.methods[m],
                            .best = table.methods[*best],
                            .ratio = cell.errors.rmse / reference.errors.rmse,
                            .p = squared_p(cell.by_simulation, reference.by_simulation)});
      }
    }
  }
  return verdicts;
}

ValueTable reproduce_worlds(const Context& context, std::span<const StudyNetwork> networks,
                            std::span<const StudyNetwork> generated, int simulations,
                            std::span<const std::string> estimators, const UnitWork& work) {
  std::vector<std::string_view> rows = default_estimators(/*given_nuisances=*/false);
  rows.insert(rows.end(), kBaselines.begin(), kBaselines.end());
  const ValuePlan plan{.settings = world_settings(networks, generated, context.seed()),
                       .groups = group_estimators(choose_estimators(estimators, rows)),
                       .simulations = simulations,
                       .phase = "worlds"};
  return run_value_study(context, plan, work);
}

StudyReport report_worlds(const ValueTable& table) {
  StudyReport report{.lead = value_lead(table), .table = value_records(table), .run = table.run};
  for (const std::string_view policy : kStudyPolicies) {
    report.shown.push_back(show_rmse(report.table, policy));
  }
  StudyTable verdicts({{"setting"},
                       {"policy"},
                       {"method"},
                       {"best"},
                       {.name = "ratio", .form = StudyColumn::Form::kFixed, .digits = 2},
                       {"p"},
                       {"harm"}});
  for (const HarmVerdict& v : judge_harm(table)) {
    verdicts.add({v.setting, v.policy, v.method, v.best, v.ratio, v.p, v.is_harm()},
                 v.is_harm()                         ? '*'
                 : v.ratio > HarmVerdict::kTolerance ? '?'
                                                     : 0);
  }
  for (const std::string& method : table.methods) {
    if (!is_network_row(method)) continue;
    report.shown.push_back(show(
        verdicts,
        {.title = fmt::format("{}: RMSE relative to the best of naive, dm_ridge, cone and cone_dm; "
                              "marked: more than {} times, p < 0.05; with ?: more, p >= 0.05",
                              method, HarmVerdict::kTolerance),
         .only = {{"method", method}},
         .keys = {"setting"},
         .across = "policy",
         .shown = {{"ratio", "best", " (", ")", /*is_marked=*/true}}}));
  }
  if (!table.decisions.empty())
    report.shown.push_back(show_claims(table.settings, table.decisions));
  report.json = value_json(table, report.table, "worlds");
  report.json["verdicts"] = verdicts.list();
  return report;
}

}  // namespace cone
