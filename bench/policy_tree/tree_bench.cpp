// Time of learn_tree on columns and scores of a file, and the tree, as JSON.
//   tree_bench FILE NODES COLUMNS ARMS DEPTH THREADS
// FILE holds doubles: nodes × columns, then nodes × arms.
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "cone/learn_policy.hpp"

namespace {

void read(std::ifstream& file, cone::Matrix<double>& into) {
  const auto bytes = static_cast<std::streamsize>(into.values().size() * sizeof(double));
  if (!file.read(reinterpret_cast<char*>(into.data()), bytes)) {
    throw std::runtime_error("the file is too short");
  }
}

void run(char** argv) {
  const auto number = [&](int k) { return std::strtoull(argv[k], nullptr, 10); };
  cone::Matrix<double> columns(number(2), number(3));
  cone::Matrix<double> scores(number(2), number(4));
  std::ifstream file(argv[1], std::ios::binary);
  read(file, columns);
  read(file, scores);
  cone::TreeOptions options;
  options.depth = static_cast<std::uint32_t>(number(5));
  options.min_leaf = 1;
  const cone::Context context({.threads = static_cast<int>(number(6))});
  const std::clock_t cpu_start = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const cone::PolicyTree tree = cone::learn_tree(context, columns.view(), scores.view(), options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  double sum = 0;
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    sum += scores(i, tree.leaf_of(columns.row(i)).arm);
  }
  fmt::print("{{\"seconds\": {}, \"cpu_seconds\": {}, \"mean_score\": {}, \"leaves\": {}}}\n",
             seconds.count(), cpu_seconds, sum / static_cast<double>(columns.rows()),
             tree.num_leaves());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 7) throw std::invalid_argument("tree_bench FILE NODES COLUMNS ARMS DEPTH THREADS");
    run(argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tree_bench: {}\n", error.what());
    return 1;
  }
}
