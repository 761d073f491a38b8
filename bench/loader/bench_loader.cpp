// Loads a dataset folder and prints one JSON object: bench_loader FOLDER [THREADS]
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/load.hpp"

namespace {

/// Peak resident size of this process so far (VmHWM).
std::uint64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    std::uint64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // of all threads
}

std::uint64_t kept_bytes(const cone::Dataset& data) {
  const cone::SparseMatrix& features = data.features.matrix.sparse();
  return data.ids.num_bytes() + data.graph.offsets().size_bytes() +
         data.graph.neighbours().size_bytes() + features.offsets().size_bytes() +
         features.columns().size_bytes() + features.values().size_bytes() +
         data.features.matrix.dense().values().size_bytes() + data.treatment.size() +
         data.outcome.size() * sizeof(double);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: bench_loader FOLDER [THREADS]\n";
    return 2;
  }
  try {
    const cone::Context context({.threads = argc == 3 ? std::stoi(argv[2]) : 0});
    const auto start = std::chrono::steady_clock::now();
    const cone::LoadedData data = cone::load_dataset(context, argv[1]);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::cout << fmt::format(
        R"({{"seconds": {}, "cpu_seconds": {}, "peak_bytes": {}, "kept_bytes": {}, )"
        R"("threads": {}, "num_nodes": {}, "num_edges": {}, "num_feature_values": {}}})"
        "\n",
        elapsed.count(), cpu_seconds(), peak_resident_bytes(), kept_bytes(data.observed),
        context.num_threads(), data.observed.num_nodes(), data.observed.graph.num_edges(),
        data.observed.features.matrix.num_entries());
  } catch (const cone::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
