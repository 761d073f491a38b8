#include <string_view>

#include <fmt/format.h>

#include "cone/simulate.hpp"

#include "simulate/self_contained.hpp"

namespace cone {
namespace {

/// Such a world has one option beside its name: the number of the simulation.
void refuse_beside_self_contained(const IsGiven& is_given, World world) {
  const IsGiven is_idle = [&](std::string_view name) {
    return name != "world" && name != "simulation" && is_given(name);
  };
  IdleOptions idle(is_idle);
  idle.refuse_all<SimulationOptions>(
      fmt::format("has no effect with --world {}, which has its own network and coefficients",
                  enum_name(world)),
      "leave it out");
  idle.throw_if_any();
}

}  // namespace

void refuse_idle_simulation(const IsGiven& is_given, const SimulationOptions& options) {
  // The number of topics applies to both kinds of network.
  const IsGiven is_idle = [&](std::string_view name) { return name != "topics" && is_given(name); };
  if (is_self_contained(options.outcome.world)) {
    refuse_beside_self_contained(is_given, options.outcome.world);
    return;
  }
  IdleOptions idle(is_idle);
  if (!options.network.empty()) {
    idle.refuse_all<NetworkOptions>(
        "applies only to generated networks; --network names a real one", "leave it out");
  } else {
    const char* what = "applies only to real networks; --network is not given";
    idle.refuse_all<TopicModelOptions>(what, "leave it out");
    idle.refuse("top_words", what, "leave it out");
  }
  idle.throw_if_any();
}

}  // namespace cone
