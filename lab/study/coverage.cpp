#include "study/coverage.hpp"

#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"
#include "simulate/self_contained.hpp"
#include "study/coverage_unit.hpp"

namespace cone {
namespace {

constexpr double kCoverageDegree = 20;
constexpr int kUnconfoundedFactor = 5;
constexpr double kTwoSided = 1.959963984540054;
constexpr double kOneSidedQuantile = 1.6448536269514722;

double number_of(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : kNaN;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return kNaN;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double share_of(std::size_t hits, std::size_t trials) {
  return trials == 0 ? kNaN : static_cast<double>(hits) / static_cast<double>(trials);
}

/// Accumulates the simulations of one row and policy.
class CoverageCounter {
 public:
  void add(const nlohmann::ordered_json& part, const std::string& row) {
    const auto& found = part.at("rows").at(row);
    const double truth = number_of(part.at("truth"));
    const double value = number_of(found.at("value"));
    ++cell_.num_simulations;
    add_square(number_of(part.at("naive")) - truth, naive_squares_);
    add_square(value - truth, squares_);
    if (std::isfinite(value - truth)) errors_.push_back(value - truth);
    const auto count = [&](const char* name, std::size_t& hits, std::vector<double>& half_widths) {
      const double low = number_of(found.at(name).at(0));
      const double high = number_of(found.at(name).at(1));
      if (!std::isfinite(low)) return;
      hits += low <= truth && truth <= high ? 1 : 0;
      half_widths.push_back(0.5 * (high - low));
    };
    count("interval", hits_, half_widths_);
    count("sampling_interval", sampling_hits_, sampling_half_widths_);
    cell_.num_intervals = half_widths_.size();
    count("sensitivity_interval", sensitivity_hits_, sensitivity_half_widths_);
    cell_.num_sensitivity_interval = sensitivity_half_widths_.size();
    for (const auto& [name, error] : found.at("standard_errors").items()) {
      const double e = number_of(error);
      if (!std::isfinite(e)) continue;
      auto tally = std::ranges::find(dependence_, name, &Tally::name);
      if (tally == dependence_.end()) tally = dependence_.insert(tally, Tally{name});
      ++tally->trials;
      tally->hits += std::abs(value - truth) <= kTwoSided * e ? 1 : 0;
    }
  }

  CoverageCell finish() && {
    cell_.interval = share_of(hits_, cell_.num_intervals);
    cell_.sampling = share_of(sampling_hits_, cell_.num_intervals);
    cell_.sensitivity_interval = share_of(sensitivity_hits_, cell_.num_sensitivity_interval);
    cell_.sensitivity_least = wilson_lower_limit(sensitivity_hits_, cell_.num_sensitivity_interval);
    cell_.half_width = median_of(std::move(half_widths_));
    cell_.sampling_half_width = median_of(std::move(sampling_half_widths_));
    cell_.sensitivity_half_width = median_of(std::move(sensitivity_half_widths_));
    cell_.bias = mean(errors_);
    cell_.rmse = std::sqrt(mean(squares_));
    cell_.naive_rmse = std::sqrt(mean(naive_squares_));
    for (const Tally& tally : dependence_) {
      cell_.by_dependence.emplace_back(tally.name, share_of(tally.hits, tally.trials));
    }
    return std::move(cell_);
  }

 private:
  struct Tally {
    std::string name;
    std::size_t hits = 0;
    std::size_t trials = 0;
  };
  static void add_square(double error, std::vector<double>& squares) {
    if (std::isfinite(error)) squares.push_back(error * error);
  }

  CoverageCell cell_;
  std::size_t hits_ = 0;
  std::size_t sampling_hits_ = 0;
  std::size_t sensitivity_hits_ = 0;
  std::vector<double> half_widths_;
  std::vector<double> sampling_half_widths_;
  std::vector<double> sensitivity_half_widths_;
  std::vector<double> errors_;
  std::vector<double> squares_;
  std::vector<double> naive_squares_;
  std::vector<Tally> dependence_;
};

}  // namespace

double wilson_lower_limit(std::size_t hits, std::size_t trials) {
  if (trials == 0) return kNaN;
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(hits) / n;
  const double z = kOneSidedQuantile;
  const double centre = p + z * z / (2 * n);
  const double spread = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return (centre - spread) / (1 + z * z / n);
}

std::vector<StudyNetwork> generate_coverage_networks(const Context& context,
                                                     const CoverageOptions& options) {
  validate(options);
  NetworkOptions network;
  network.nodes = options.coverage_nodes;
  network.mean_degree = std::min(kCoverageDegree, static_cast<double>(options.coverage_nodes) / 25);
  std::vector<StudyNetwork> networks;
  networks.push_back(name_network("social", synthetic_topic_network(context, network)));
  network.layout = Layout::kGeometric;
  networks.push_back(name_network("geometric", synthetic_topic_network(context, network)));
  return networks;
}

std::vector<CoverageSetting> coverage_settings(std::span<const StudyNetwork> networks,
                                               std::uint64_t seed) {
  struct Named {
    std::string_view name;
    OutcomeOptions outcome;
    bool is_unconfounded = false;
    bool geometric = false;
  };
  // Noise is in units of p before standardisation, in dependent_noise in units of its sd.
  const std::vector<Named> worlds = {
      {"randomised treatment", {.world = World::kRandomisedLog, .noise = 0.1}, true},
      {"observed confounding", {.world = World::kObservedConfounding, .noise = 0.5}, true},
      {"unmeasured confounding, kappa2 = 1", {.world = World::kHiddenConfounding}},
      {"unmeasured confounding, kappa2 = 2", {.world = World::kHiddenConfounding, .kappa2 = 2}},
      {"unmeasured confounding, noisy", {.world = World::kHiddenConfounding, .noise = 0.1}},
      {"equal edge weights", {.world = World::kEqualEdgeWeights, .kappa2 = 2}},
      {"heterogeneous effects", {.world = World::kHeterogeneousEffects}},
      {"weak overlap", {.world = World::kWeakOverlap}},
      {"binary outcomes", {.world = World::kBinaryOutcomes}},
      {"nonlinear", {.world = World::kNonlinear, .noise = 0.1}},
      {"shared noise 0.3", {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.3}},
      {"shared noise 0.8", {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.8}},
      {"shared noise 0.3, geometric",
       {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.3},
       false,
       true},
      {"shared noise 0.8, geometric",
       {.world = World::kDependentNoise, .noise = 1, .shared_noise = 0.8},
       false,
       true}};
  std::vector<CoverageSetting> settings;
  settings.reserve(worlds.size());
  for (const Named& world : worlds) {
    settings.push_back({{.name = std::string(world.name),
                         .network = &networks[world.geometric ? 1 : 0],
                         .outcome = world.outcome,
                         .seed = seed},
                        world.is_unconfounded});
  }
  for (const World world : self_contained_worlds()) {
    settings.push_back({self_contained_setting(world, seed), is_unconfounded(world)});
  }
  return settings;
}

CoverageTable reproduce_coverage(const Context& context, std::span<const StudyNetwork> networks,
                                 int simulations, const CoverageOptions& options,
                                 const UnitWork& work) {
  const int unconfounded = options.unconfounded_simulations > 0 ? options.unconfounded_simulations
                                                                : kUnconfoundedFactor * simulations;
  const std::vector<CoverageSetting> settings = coverage_settings(networks, context.seed());
  std::vector<Unit> units;
  std::vector<std::size_t> first;  // unit of every setting
  for (const CoverageSetting& setting : settings) {
    first.push_back(units.size());
    const int count = setting.is_unconfounded ? unconfounded : simulations;
    for (int s = 0; s < count; ++s) {
      units.push_back(coverage_unit(setting.value, static_cast<std::uint64_t>(s)));
    }
  }
  first.push_back(units.size());
  const UnitsReport report = run_units(context, work, units, "coverage");

  CoverageTable table{.seed = context.seed()};
  note_units(units, report, table.run);
  for (std::size_t s = 0; s < settings.size(); ++s) {
    table.settings.push_back(settings[s].value.name);
    table.is_unconfounded.push_back(settings[s].is_unconfounded);
    const std::vector<std::string> policy_names = coverage_policies(settings[s].value);
    std::vector<std::vector<CoverageCounter>> counters(
        policy_names.size(), std::vector<CoverageCounter>(kCoverageRows.size()));
    DecisionClaims& decision = table.decisions.emplace_back();
    for (std::size_t u = first[s]; u < first[s + 1]; ++u) {
      const UnitRecord& record = report.records[u];
      if (record.status == UnitStatus::kFailed) continue;
      for (std::size_t p = 0; p < policy_names.size(); ++p) {
        const auto& part = record.result.at("policies").at(policy_names[p]);
        for (std::size_t r = 0; r < kCoverageRows.size(); ++r) {
          counters[p][r].add(part, std::string(kCoverageRows[r]));
        }
      }
      decision.add(record.result.at("joint"));
    }
    table.policies.push_back(policy_names);
    auto& policies = table.cells.emplace_back();
    for (auto& by_row : counters) {
      auto& rows = policies.emplace_back();
      for (CoverageCounter& counter : by_row) rows.push_back(std::move(counter).finish());
    }
  }
  return table;
}

}  // namespace cone
