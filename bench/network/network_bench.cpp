// Time and peak memory of generating one synthetic network and one simulation on it, and statistics
// of the network, as JSON.
//   network_bench NODES MEAN_DEGREE [OPTION VALUE]...
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <sys/resource.h>

#include "cone/simulate.hpp"

#include "simulate/network.hpp"
#include "simulate/network_statistics.hpp"
#include "simulate/semi_synthetic.hpp"

namespace {

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void set(cone::NetworkOptions& options, std::string_view wanted, const char* text) {
  cone::NetworkOptions::visit(options, [&](std::string_view name, auto& value, const auto&...) {
    using T = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<T>) {  // not the layout
      if (name == wanted) value = static_cast<T>(std::atof(text));
    }
  });
}

void run(int argc, char** argv) {
  cone::NetworkOptions options;
  if (argc > 1) set(options, "nodes", argv[1]);
  if (argc > 2) set(options, "mean_degree", argv[2]);
  for (int i = 3; i + 1 < argc; i += 2) set(options, argv[i], argv[i + 1]);

  const cone::Context context({.seed = 1});
  const auto start = std::chrono::steady_clock::now();
  const cone::SyntheticNetwork network = cone::generate_network(context, options);
  const double seconds = seconds_since(start);
  const std::int64_t peak = peak_bytes();

  const auto log_start = std::chrono::steady_clock::now();
  const cone::SimulatedLog log =
      cone::simulate_log(context, network.graph, network.topics.view(), {}, 0);
  const double log_seconds = seconds_since(log_start);

  const cone::Graph& graph = network.graph;
  const double mean = cone::mean_degree(graph);
  const auto tail_from = static_cast<std::size_t>(2 * mean);
  fmt::print(
      R"({{"nodes": {}, "edges": {}, "word_entries": {}, "threads": {},
 "generate_seconds": {:.3f}, "generate_peak_bytes": {}, "log_seconds": {:.3f}, "num_treated": {},
 "mean_degree": {:.4f}, "max_degree": {}, "tail_exponent": {:.3f}, "tail_from_degree": {},
 "clustering": {:.4f}, "assortativity": {:.4f}, "topic_homophily": {:.4f},
 "largest_component": {}}}
)",
      graph.num_nodes(), graph.num_edges(), network.words.num_entries(), context.num_threads(),
      seconds, peak, log_seconds, std::count(log.treatment.begin(), log.treatment.end(), 1), mean,
      cone::max_degree(graph), cone::degree_tail_exponent(graph, tail_from), tail_from,
      cone::average_clustering(context, graph), cone::label_assortativity(graph, network.community),
      cone::topic_homophily(context, graph, network.topics.view()),
      cone::largest_component_size(graph));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
