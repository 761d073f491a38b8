#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/json.hpp"
#include "cone/load.hpp"
#include "cone/simulate.hpp"

#include "base/hash.hpp"
#include "simulate/self_contained.hpp"
#include "simulate/simulated_data.hpp"
#include "study/study.hpp"

namespace cone {
namespace {

/// One of the two networks of Guo, Li and Liu (2020), as published.
struct RealNetwork {
  std::string_view name;
  std::string_view file;
  std::string_view sha256;
  std::size_t top_words;  ///< per topic, for the reduced vocabulary
};

constexpr std::array<RealNetwork, 2> kRealNetworks = {
    RealNetwork{"BlogCatalog", "BlogCatalog.mat",
                "886e1d8dec043588247ef7188fe6459f2ba657b6b9211d73f255d28b42f06b0c", 100},
    RealNetwork{"Flickr", "Flickr.mat",
                "1493f3f261395b232dd37845beae9215c0abccc9d63902a3cc0af7fd4f0972cd", 25}};

/// Throws Error(kData) listing what is missing and where it is published.
void require_real_networks(const std::filesystem::path& folder) {
  FaultList faults;
  for (const RealNetwork& network : kRealNetworks) {
    const std::filesystem::path path = folder / network.file;
    if (path_kind(path) == PathKind::kFile) continue;
    faults.add("missing",
               {{.file = path.string()},
                "does not exist",
                fmt::format("it is published with the AANE code (GitHub, "
                            "xhuang31/AANE_MATLAB), sha256 {}; name its folder with --data, or "
                            "run the study on the built-in network with --data demo",
                            network.sha256)});
  }
  faults.throw_if_any(ErrorCode::kData);
}

/// Topics included: another topic model gives other simulations on the same files.
std::string checksum_of(const TopicNetwork& network) {
  Checksum checksum;
  checksum.add(network.source_checksum);
  checksum.add(network.graph.offsets()).add(network.graph.neighbours());
  network.features.matrix.add_to(checksum);
  return checksum.add(network.topics.values()).hex();
}

}  // namespace

StudyNetwork name_network(std::string name, TopicNetwork network) {
  std::string checksum = checksum_of(network);
  return {std::move(name), std::move(network), std::move(checksum)};
}

std::vector<StudyNetwork> load_study_networks(const Context& context, const std::string& data) {
  std::vector<StudyNetwork> networks;
  if (data == "demo" && path_kind(data) == PathKind::kMissing) {
    networks.push_back(name_network("demo", demo_network(context)));
    return networks;
  }
  require_real_networks(data);
  for (const RealNetwork& real : kRealNetworks) {
    LoadedData loaded = load_dataset(context, std::filesystem::path(data) / real.file);
    networks.push_back(
        name_network(std::string(real.name),
                     fitted_topic_network(context, std::move(loaded), {}, real.top_words)));
  }
  return networks;
}

StudySetting network_setting(const StudyNetwork& network, OutcomeOptions outcome,
                             std::uint64_t seed) {
  return {.name = fmt::format("{}, kappa2 = {}", network.name, outcome.kappa2),
          .network = &network,
          .outcome = outcome,
          .seed = seed};
}

std::vector<StudySetting> study_settings(std::span<const StudyNetwork> networks,
                                         Normalisation normalisation, std::uint64_t seed) {
  std::vector<StudySetting> settings;
  for (const StudyNetwork& network : networks) {
    for (const double kappa2 : {1.0, 2.0}) {
      settings.push_back(
          network_setting(network, {.kappa2 = kappa2, .normalisation = normalisation}, seed));
    }
  }
  return settings;
}

StudySetting self_contained_setting(World world, std::uint64_t seed) {
  return {.name = std::string(enum_name(world)), .outcome = {.world = world}, .seed = seed};
}

LoadedData simulate_setting(const Context& context, const StudySetting& setting,
                            std::uint64_t simulation) {
  const Context seeded = context.with_seed(setting.seed);
  if (is_self_contained(setting.outcome.world)) {
    return simulate_self_contained(seeded, setting.outcome.world, simulation).data;
  }
  return simulate_data(seeded, setting.network->network, setting.outcome, simulation).data;
}

Unit unit_on_simulation(std::string kind, const StudySetting& setting, std::uint64_t simulation,
                        std::string_view group, const EvaluateOptions& options, std::uint64_t run) {
  constexpr std::uint64_t kMostRuns = 100'000;  // StudyOptions allows fewer, so seeds are distinct
  Unit unit;
  unit.name = fmt::format("{}, simulation {}, {}", setting.name, simulation, group);
  unit.identity = {.kind = std::move(kind),
                   .options = {{"setting", setting.name},
                               {"outcome", option_json(setting.outcome)},
                               {"simulation", simulation},
                               {"simulation_seed", setting.seed},
                               {"group", std::string(group)},
                               {"evaluation", option_json(options)}},
                   .seed = setting.seed + kMostRuns * simulation + run,
                   .data_checksum = setting.network == nullptr ? "" : setting.network->checksum};
  unit.identity.options["evaluation"].erase("estimators");
  return unit;
}

}  // namespace cone
