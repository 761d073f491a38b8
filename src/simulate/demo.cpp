#include "cone/simulate/demo.hpp"

#include <utility>

#include "cone/simulate/simulated_data.hpp"

namespace cone {
namespace {

// A name for one world, not a choice: changing it changes what everyone's first look shows.
constexpr std::uint64_t kDemoSeed = 20;
constexpr std::uint64_t kDemoSimulation = 0;

}  // namespace

LoadedData demo_data(const Context& context) {
  const Context fixed(kDemoSeed, context.num_threads());
  TopicNetwork network = synthetic_topic_network(fixed, NetworkOptions{});
  return simulate_data(fixed, std::move(network), OutcomeOptions{}, kDemoSimulation).data;
}

}  // namespace cone
