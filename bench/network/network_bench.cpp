// Time and peak memory of generating one synthetic network and one log on it, and what came out.
//   network_bench NODES MEAN_DEGREE [OPTION VALUE]...
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <sys/resource.h>

#include "cone/simulate/network.hpp"
#include "cone/simulate/network_statistics.hpp"
#include "cone/simulate/semi_synthetic.hpp"

namespace {

double peak_gib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void set(cone::NetworkOptions& options, std::string_view wanted, const char* text) {
  cone::NetworkOptions::visit(
      options, [&](std::string_view name, auto& value, std::string_view, const cone::Range&) {
        using T = std::remove_reference_t<decltype(value)>;
        if (name == wanted) value = static_cast<T>(std::atof(text));
      });
}

void run(int argc, char** argv) {
  cone::NetworkOptions options;
  if (argc > 1) set(options, "nodes", argv[1]);
  if (argc > 2) set(options, "mean_degree", argv[2]);
  for (int i = 3; i + 1 < argc; i += 2) set(options, argv[i], argv[i + 1]);

  const cone::Context context(1);
  const auto start = std::chrono::steady_clock::now();
  const cone::SyntheticNetwork network = cone::generate_network(context, options);
  const double seconds = seconds_since(start);
  const double peak = peak_gib();

  const auto log_start = std::chrono::steady_clock::now();
  const cone::SimulatedLog log =
      cone::simulate_log(context, network.graph, network.topics.view(), {}, 0);
  const double log_seconds = seconds_since(log_start);

  const cone::Graph& graph = network.graph;
  const double mean = cone::mean_degree(graph);
  fmt::print("nodes {}  edges {}  word entries {}  threads {}\n", graph.num_nodes(),
             graph.num_edges(), network.words.num_entries(), context.num_threads());
  fmt::print("generated in {:.2f} s, peak {:.2f} GiB\n", seconds, peak);
  fmt::print("log in {:.3f} s, {} treated, peak {:.2f} GiB\n", log_seconds,
             std::count(log.treatment.begin(), log.treatment.end(), 1), peak_gib());
  fmt::print("mean degree {:.3f}  max {}  tail exponent {:.3f} (degrees from {:.0f})\n", mean,
             cone::max_degree(graph),
             cone::degree_tail_exponent(graph, static_cast<std::size_t>(2 * mean)), 2 * mean);
  fmt::print("clustering {:.4f}  communities' assortativity {:.4f}  topic homophily {:.4f}\n",
             cone::average_clustering(context, graph),
             cone::label_assortativity(graph, network.community),
             cone::topic_homophily(context, graph, network.topics.view()));
  fmt::print(
      "largest component {}  words a node {:.1f}\n", cone::largest_component_size(graph),
      static_cast<double>(network.words.num_entries()) / static_cast<double>(graph.num_nodes()));
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
