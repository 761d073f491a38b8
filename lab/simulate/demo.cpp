#include "simulate/demo.hpp"

#include "cone/simulate.hpp"

#include "simulate/simulated_data.hpp"

namespace cone {
namespace {

// Fixed, so that the demo data is the same everywhere.
constexpr std::uint64_t kDemoSeed = 20;
constexpr std::uint64_t kDemoSimulation = 0;

}  // namespace

TopicNetwork demo_network(const Context& context) {
  return synthetic_topic_network(context.with_seed(kDemoSeed), NetworkOptions{});
}

LoadedData demo_data(const Context& context) {
  return simulate_data(context.with_seed(kDemoSeed), demo_network(context), OutcomeOptions{},
                       kDemoSimulation)
      .data;
}

}  // namespace cone
