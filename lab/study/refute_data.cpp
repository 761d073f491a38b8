#include "study/refute_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cone/learn.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::size_t kNumStrata = 10;

template <class T>
void shuffle_values(std::span<T> values, Rng& rng) {
  for (std::size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[rng.below(k)]);
}

}  // namespace

Dataset permute_treatments(const Dataset& data, MatrixView<const double> propensity, Rng& rng) {
  const std::size_t n = data.num_nodes();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return propensity(a, kControlArm) > propensity(b, kControlArm);
  });
  Dataset out = data;
  for (std::size_t s = 0; s < kNumStrata; ++s) {
    const std::size_t begin = n * s / kNumStrata;
    const std::size_t end = n * (s + 1) / kNumStrata;
    std::vector<Arm> arms;
    for (std::size_t k = begin; k < end; ++k) arms.push_back(data.treatment[order[k]]);
    shuffle_values(std::span(arms), rng);
    for (std::size_t k = begin; k < end; ++k) out.treatment[order[k]] = arms[k - begin];
  }
  return out;
}

Dataset add_random_feature(const Dataset& data, Rng& rng) {
  const auto added_column = static_cast<std::uint32_t>(data.features.num_dense);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    bool is_added = false;
    const auto add = [&] {
      columns.push_back(added_column);
      values.push_back(rng.normal());
      is_added = true;
    };
    data.features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
      if (column >= added_column && !is_added) add();
      columns.push_back(column < added_column ? column : column + 1);
      values.push_back(value);
    });
    if (!is_added) add();
    offsets.push_back(columns.size());
  }
  Dataset out = data;
  out.features.num_dense = added_column + 1;
  out.features.names.insert(out.features.names.begin() + added_column, "(random)");
  out.features.matrix =
      store_full_columns_densely(SparseMatrix(data.features.matrix.cols() + 1, std::move(offsets),
                                              std::move(columns), std::move(values)),
                                 out.features.num_dense);
  return out;
}

std::vector<NodeIndex> draw_most_nodes(std::size_t num_nodes, Rng& rng) {
  std::vector<NodeIndex> nodes(num_nodes);
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  shuffle_values(std::span(nodes), rng);
  nodes.resize(num_nodes - num_nodes / 10);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

Dataset select_nodes(const Dataset& data, std::span<const NodeIndex> nodes) {
  constexpr NodeIndex kGone = IdTable::kAbsent;
  std::vector<NodeIndex> new_index(data.num_nodes(), kGone);
  for (std::size_t k = 0; k < nodes.size(); ++k) new_index[nodes[k]] = static_cast<NodeIndex>(k);
  Dataset out;
  out.arms = data.arms;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeIndex> neighbours;
  for (const NodeIndex i : nodes) {
    out.ids.insert(data.ids[i]);
    out.treatment.push_back(data.treatment[i]);
    out.outcome.push_back(data.outcome[i]);
    if (!data.weight.empty()) out.weight.push_back(data.weight[i]);
    for (const NodeIndex j : data.graph.neighbours(i)) {
      if (new_index[j] != kGone) neighbours.push_back(new_index[j]);
    }
    offsets.push_back(neighbours.size());
  }
  out.graph = Graph(std::move(offsets), std::move(neighbours));
  out.features = {.matrix = data.features.matrix.select_rows(nodes),
                  .names = data.features.names,
                  .num_dense = data.features.num_dense};
  if (data.propensity) out.propensity = take_rows(data.propensity->view(), nodes);
  if (data.mu) out.mu = take_rows(data.mu->view(), nodes);
  return out;
}

BootstrapSample draw_sample(const BootstrapWorld& world, const Dataset& data, Rng& rng) {
  const auto draw_sign = [&rng] { return rng.bernoulli(0.5) ? 1.0 : -1.0; };
  std::vector<double> sign_of_cluster;
  for (std::size_t k = 0; k < world.clusters.count; ++k) sign_of_cluster.push_back(draw_sign());
  BootstrapSample out{.data = data, .outcome = world.mu};
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    const Arm own = data.treatment[i];
    const double sign =
        sign_of_cluster.empty() ? draw_sign() : sign_of_cluster[world.clusters.of[i]];
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      out.outcome(i, a) +=
          a == own ? sign * world.residual[i] : std::sqrt(world.noise(i, a)) * rng.normal();
    }
    out.data.outcome[i] = out.outcome(i, own);
  }
  return out;
}

double true_gain(const BootstrapSample& sample, MatrixView<const double> policy) {
  const std::vector<double>& weight = sample.data.weight;
  CompensatedSum total;
  CompensatedSum units;
  for (std::size_t i = 0; i < sample.outcome.rows(); ++i) {
    const double count = weight.empty() ? 1 : weight[i];
    units.add(count);
    total.add(-count * sample.data.outcome[i]);
    for (std::size_t a = 0; a < sample.outcome.cols(); ++a) {
      total.add(count * policy(i, a) * sample.outcome(i, a));
    }
  }
  return total.value() / units.value();
}

}  // namespace cone
