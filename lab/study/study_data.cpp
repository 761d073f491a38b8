#include <fmt/format.h>

#include "cone/file.hpp"
#include "cone/load.hpp"
#include "cone/simulate.hpp"

#include "base/hash.hpp"
#include "simulate/demo.hpp"
#include "simulate/simulated_data.hpp"
#include "study/real_networks.hpp"
#include "study/study.hpp"

namespace cone {
namespace {

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

std::string StudySetting::name() const {
  return fmt::format("{}, kappa2 = {}", network->name, kappa2);
}

std::vector<StudySetting> study_settings(std::span<const StudyNetwork> networks,
                                         const StudyOptions& options, std::uint64_t seed) {
  std::vector<StudySetting> settings;
  for (const StudyNetwork& network : networks) {
    for (const double kappa2 : {1.0, 2.0}) {
      settings.push_back({&network, kappa2, options.normalisation, seed});
    }
  }
  return settings;
}

LoadedData simulated_log(const Context& context, const StudySetting& setting,
                         std::uint64_t simulation) {
  const OutcomeOptions outcome = {.kappa2 = setting.kappa2, .normalisation = setting.normalisation};
  return simulate_data(context.with_seed(setting.seed), setting.network->network, outcome,
                       simulation)
      .data;
}

}  // namespace cone
