#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "network_ridge/network_ridge.hpp"
#include "support/fixture.hpp"
#include "support/small_data.hpp"

// The datasets of scripts/network_ridge_reference.py, which implements the formulas directly with
// dense inverses and one refit per fold: count and numeric features with isolated nodes, no edges
// at all, and a regular graph.

namespace cone::testing {

using nlohmann::json;

inline const Context kContext({.threads = 2});

inline const json& ridge_fixture() {
  static const json values = read_fixture("network_ridge.json");
  return values;
}

inline std::size_t size_of(const json& dataset, const char* name) {
  return dataset.at(name).get<std::size_t>();
}

/// The numeric features, then the count features.
inline Dataset make_dataset(const json& given) {
  Dataset data;
  const std::size_t n = size_of(given, "num_nodes");
  data.ids = IdTable::numbered(n);
  std::vector<Edge> edges;
  for (const json& pair : given.at("edges")) {
    edges.push_back({pair[0].get<NodeIndex>(), pair[1].get<NodeIndex>()});
  }
  data.graph = build_graph(kContext, n, edges);
  auto rows = given.at("columns").get<std::vector<std::vector<double>>>();
  data.features.num_dense = rows[0].size();
  for (auto& row : rows) row.resize(data.features.num_dense + size_of(given, "num_words"));
  for (const json& count : given.at("words")) {
    rows[count[0].get<std::size_t>()][data.features.num_dense + count[1].get<std::size_t>()] +=
        count[2].get<double>();
  }
  data.features.matrix = sparse_from_rows(rows);
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    data.features.names.push_back(std::to_string(c));
  }
  data.arms.clear();
  for (std::size_t a = 0; a < size_of(given, "num_arms"); ++a) {
    data.arms.push_back(std::to_string(a));
  }
  data.treatment = vector_of<Arm>(given.at("arm"));
  data.outcome = vector_of(given.at("outcome"));
  return data;
}

/// One dataset of the fixture with the program's inputs and groups.
struct Case {
  explicit Case(const json& given)
      : reference(given),
        data(make_dataset(given)),
        inputs(
            std::make_shared<RidgeInputs>(prepare_inputs(kContext, data, {.communities = false}))),
        groups(list_groups(kContext, *inputs, {})) {}

  std::string name() const { return reference.at("name").get<std::string>(); }
  const json& arm(std::size_t a) const { return reference.at("arms").at(a); }

  std::vector<std::size_t> fixed_columns(std::size_t a) const {
    static const std::vector<std::string> kNames = {"constant", "degree", "root_degree"};
    std::vector<std::size_t> columns;
    for (const auto& fixed : vector_of<std::string>(arm(a).at("fixed_effects"))) {
      columns.push_back(
          static_cast<std::size_t>(std::ranges::find(kNames, fixed) - kNames.begin()));
    }
    return columns;
  }

  std::vector<std::uint32_t> positions(std::size_t a) const {
    std::vector<std::uint32_t> all(inputs->arm_begin[a + 1] - inputs->arm_begin[a]);
    std::iota(all.begin(), all.end(), static_cast<std::uint32_t>(inputs->arm_begin[a]));
    return all;
  }

  /// The outcome in units of its standard deviation, as the reference has it.
  ArmSample sample(std::size_t a, bool noise_grows) const {
    ArmSample out;
    const auto rows = positions(a);
    out.kernels = make_kernels(kContext, *inputs, groups, rows);
    out.noise_grows = noise_grows;
    const auto fixed = fixed_columns(a);
    out.fixed = Matrix<double>(rows.size(), fixed.size());
    RidgeSystem system;
    system.inputs = inputs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.outcome.push_back(
          (data.outcome[inputs->node_at[rows[i]]] - arm(a).at("mean").get<double>()) /
          arm(a).at("sd").get<double>());
      for (std::size_t c = 0; c < fixed.size(); ++c) {
        out.fixed(i, c) = system.fixed_effect(rows[i], fixed[c]);
      }
    }
    return out;
  }

  const json& reference;
  Dataset data;
  std::shared_ptr<RidgeInputs> inputs;
  std::vector<RidgeGroup> groups;
};

inline std::vector<double> exponentials_of(const json& logs) {
  std::vector<double> out;
  for (const double value : vector_of(logs)) out.push_back(std::exp(value));
  return out;
}

class NetworkRidgeFixture : public ::testing::TestWithParam<std::size_t> {
 protected:
  NetworkRidgeFixture() : it(ridge_fixture().at("datasets").at(GetParam())) {}
  Case it;
};

inline std::string name_of(const ::testing::TestParamInfo<std::size_t>& info) {
  return ridge_fixture().at("datasets").at(info.param).at("name").get<std::string>();
}

}  // namespace cone::testing
