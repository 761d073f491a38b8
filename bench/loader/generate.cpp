// Writes a random dataset folder: bench_loader_generate FOLDER NODES EDGES FEATURES PREFIX
// Ids are PREFIX followed by 0, 1, ...; PREFIX may be empty. Ends of edges are uniform, so a few
// edges repeat and a few are self loops.
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>

#include "cone/file.hpp"

#include "base/random.hpp"

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

struct Shape {
  std::uint64_t num_nodes;
  std::uint64_t num_edges;
  std::uint64_t num_features;
  std::string prefix;
};

template <class Number>
void append(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void flush_if_full(std::ostream& out, std::string& text) {
  if (text.size() < kBlockBytes) return;
  out << text;
  text.clear();
}

void write_nodes(std::ostream& out, const Shape& shape) {
  std::string text = "id,treatment,outcome";
  for (std::uint64_t j = 0; j < shape.num_features; ++j) text += ",x" + std::to_string(j);
  text += '\n';
  for (std::uint64_t i = 0; i < shape.num_nodes; ++i) {
    cone::Rng rng(kSeed, cone::Stream::kWorld, i);
    text += shape.prefix;
    append(text, i);
    text += rng.bernoulli(0.5) ? ",1" : ",0";
    for (std::uint64_t j = 0; j <= shape.num_features; ++j) {
      text += ',';
      append(text, rng.normal());
    }
    text += '\n';
    flush_if_full(out, text);
  }
  out << text;
}

void write_edges(std::ostream& out, const Shape& shape) {
  std::string text = "source,target\n";
  for (std::uint64_t e = 0; e < shape.num_edges; ++e) {
    cone::Rng rng(kSeed, cone::Stream::kNetwork, e);
    text += shape.prefix;
    append(text, rng.below(shape.num_nodes));
    text += ',';
    text += shape.prefix;
    append(text, rng.below(shape.num_nodes));
    text += '\n';
    flush_if_full(out, text);
  }
  out << text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: bench_loader_generate FOLDER NODES EDGES FEATURES PREFIX\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const Shape shape{std::stoull(argv[2]), std::stoull(argv[3]), std::stoull(argv[4]), argv[5]};
  std::filesystem::create_directories(folder);
  cone::write_atomically(folder / "nodes.csv", [&](std::ostream& out) { write_nodes(out, shape); });
  cone::write_atomically(folder / "edges.csv", [&](std::ostream& out) { write_edges(out, shape); });
  return 0;
}
