#include "simulate/idle_simulation.hpp"

#include <string_view>

namespace cone {

void refuse_idle_simulation(const IsGiven& is_given, const SimulationOptions& options) {
  // The number of topics applies to both kinds of network.
  const IsGiven is_idle = [&](std::string_view name) { return name != "topics" && is_given(name); };
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
