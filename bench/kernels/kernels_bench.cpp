// Times every kernel of training in single precision on a synthetic network, as JSON.
//   kernels_bench THREADS NODES MEAN_DEGREE
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/simulate.hpp"

#include "machine_limits.hpp"
#include "ops/attention.hpp"
#include "ops/dense.hpp"
#include "ops/sparse.hpp"
#include "simulate/network.hpp"
#include "timing.hpp"

namespace {

using cone::Context;
using cone::Matrix;
using cone::MatrixView;

constexpr cone::ops::AttentionShape kShape{.heads = 8, .size = 16};
constexpr std::size_t kHidden = 64;

struct SparseFloats {
  cone::SparseMatrix matrix;
  std::vector<float> values;

  explicit SparseFloats(cone::SparseMatrix m)
      : matrix(std::move(m)), values(matrix.values().begin(), matrix.values().end()) {}
  cone::ops::SparseView<float> view() const {
    return {matrix.cols(), matrix.offsets(), matrix.columns(), values};
  }
};

Matrix<float> filled(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<float> m(rows, cols);
  std::uint64_t state = seed;
  for (float& value : m.values()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(state >> 40) / static_cast<float>(1 << 24) - 0.5F;
  }
  return m;
}

/// Bytes counts every row that a kernel reads, from any cache.
struct Timing {
  std::string name;
  CallTime time;
  double bytes;
  double flops;
};

class Bench {
 public:
  Bench(const Context& context, const cone::NetworkOptions& options)
      : context_(context),
        network_(cone::generate_network(context, options)),
        x_(network_.words),
        x_transposed_(network_.words.transposed()),
        graph_{network_.graph.offsets(), network_.graph.neighbours()} {}

  std::size_t nodes() const { return graph_.num_nodes(); }
  std::size_t edges() const { return network_.graph.num_edges(); }
  std::size_t entries() const { return network_.words.num_entries(); }
  std::vector<Timing> run();

 private:
  template <class Call>
  void time(std::string name, double bytes, double flops, const Call& call) {
    timings_.push_back({std::move(name), measure(call), bytes, flops});
  }
  void time_products();
  void time_attention();
  void time_dense();

  const Context& context_;
  cone::SyntheticNetwork network_;
  SparseFloats x_;
  SparseFloats x_transposed_;
  cone::ops::Adjacency graph_;
  std::vector<Timing> timings_;
};

template <class T>
MatrixView<const T> constant(const Matrix<T>& m) {
  return m.view();
}

void Bench::time_products() {
  const auto columns = static_cast<double>(kShape.columns());
  const auto num_entries = static_cast<double>(entries());
  const auto n = static_cast<double>(nodes());
  const auto words = static_cast<double>(x_.matrix.cols());
  const Matrix<float> w = filled(x_.matrix.cols(), kShape.columns(), 1);
  Matrix<float> h(nodes(), kShape.columns());
  Matrix<float> d_w(x_.matrix.cols(), kShape.columns());
  time("sparse X·W", num_entries * (8 + 4 * columns) + n * 4 * columns, 2 * num_entries * columns,
       [&] { sparse_times_dense(context_, x_.view(), constant(w), h.view()); });
  time("sparse X'·G", num_entries * (8 + 4 * columns) + words * 4 * columns,
       2 * num_entries * columns,
       [&] { sparse_times_dense(context_, x_transposed_.view(), constant(h), d_w.view()); });
}

void Bench::time_attention() {
  const std::size_t n = nodes();
  const auto columns = static_cast<double>(kShape.columns());
  const auto heads = static_cast<double>(kShape.heads);
  const auto pairs = static_cast<double>(2 * edges() + n);
  const auto rows = static_cast<double>(n);
  const Matrix<float> h = filled(n, kShape.columns(), 2);
  const Matrix<float> d_out = filled(n, kShape.columns(), 3);
  const Matrix<float> a = filled(kShape.heads, kShape.size, 4);
  Matrix<float> dst(n, kShape.heads), src = filled(n, kShape.heads, 5),
                                      log_sum_exp(n, kShape.heads);
  Matrix<float> out(n, kShape.columns()), d_h(n, kShape.columns()), derivative(n, kShape.columns());
  Matrix<float> d_dst(n, kShape.heads), d_src(n, kShape.heads);
  time("attention scores", rows * 4 * (columns + heads), 2 * rows * columns,
       [&] { attention_scores(context_, kShape, constant(h), constant(a), dst.view()); });
  time("attention forward", pairs * (4 + 4 * columns + 8 * heads) + rows * 8 * columns,
       pairs * (4 * columns + 6 * heads), [&] {
         attention_forward(context_, graph_, kShape, constant(h), constant(dst), constant(src),
                           out.view(), log_sum_exp.view(), derivative.view());
       });
  time("attention backward", pairs * (4 + 4 * columns + 12 * heads) + rows * 20 * columns,
       pairs * (4 * columns + 8 * heads), [&] {
         attention_backward(context_, graph_, kShape, constant(h), constant(dst), constant(src),
                            constant(out), constant(log_sum_exp), constant(derivative),
                            constant(d_out), d_h.view(), d_dst.view(), d_src.view());
       });
}

void Bench::time_dense() {
  const std::size_t n = nodes();
  const auto rows = static_cast<double>(n);
  const auto inputs = static_cast<double>(kShape.columns());
  const auto hidden = static_cast<double>(kHidden);
  const Matrix<float> z = filled(n, kShape.columns(), 6);
  const Matrix<float> w = filled(kShape.columns(), kHidden, 7);
  const std::vector<float> bias(kHidden, 0.1F);
  Matrix<float> y(n, kHidden), d_z(n, kShape.columns()), d_w(kShape.columns(), kHidden);
  const Matrix<float> upstream = filled(n, kHidden, 8);
  std::vector<float> d_bias(kHidden);
  const double bytes = 4 * (rows * (inputs + hidden) + inputs * hidden);
  const double flops = 2 * rows * inputs * hidden;
  time("dense A·B", bytes, flops,
       [&] { cone::ops::multiply(context_, constant(z), constant(w), y.view()); });
  time("dense A'·B", bytes, flops, [&] {
    cone::ops::multiply_transposed_a(context_, constant(z), constant(upstream), d_w.view());
  });
  time("dense A·B'", bytes, flops, [&] {
    cone::ops::multiply_transposed_b(context_, constant(upstream), constant(w), d_z.view());
  });
  time("bias + ELU", 8 * rows * hidden, 20 * rows * hidden,
       [&] { cone::ops::bias_elu<float>(context_, bias, y.view()); });
  Matrix<float> d = upstream;
  time("bias + ELU backward", 12 * rows * hidden, 4 * rows * hidden,
       [&] { cone::ops::bias_elu_backward<float>(context_, constant(y), d.view(), d_bias); });
}

std::vector<Timing> Bench::run() {
  time_products();
  time_attention();
  time_dense();
  return timings_;
}

void run(int threads, std::uint32_t nodes, double mean_degree) {
  const Context context({.seed = 1, .threads = threads});
  cone::NetworkOptions options;
  options.nodes = nodes;
  options.mean_degree = mean_degree;
  Bench bench(context, options);
  const std::vector<Timing> timings = bench.run();
  const MachineLimits limits = measure_limits(context);
  fmt::print(R"({{"threads": {}, "nodes": {}, "edges": {}, "entries": {}, "heads": {}, "size": {},
 "limits": {{"cache_copy_gigabytes_a_second": {:.1f}, "memory_copy_gigabytes_a_second": {:.1f},
  "gigaflops": {:.1f}, "region_microseconds": {:.2f}}},
 "kernels": [)",
             threads, bench.nodes(), bench.edges(), bench.entries(), kShape.heads, kShape.size,
             limits.cache_copy_gigabytes_a_second, limits.memory_copy_gigabytes_a_second,
             limits.gigaflops, limits.region_microseconds);
  const char* separator = "";
  for (const Timing& t : timings) {
    fmt::print(
        "{}\n  {{\"name\": \"{}\", \"seconds\": {:.9f}, \"fastest_seconds\": {:.9f}, \"bytes\": "
        "{:.0f}, \"flops\": {:.0f}}}",
        separator, t.name, t.time.median_seconds, t.time.fastest_seconds, t.bytes, t.flops);
    separator = ",";
  }
  fmt::print("\n ]}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: kernels_bench THREADS NODES MEAN_DEGREE\n");
    return 2;
  }
  try {
    run(std::atoi(argv[1]), static_cast<std::uint32_t>(std::atoi(argv[2])), std::atof(argv[3]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
