#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "data/outcome_direction.hpp"
#include "distributed/distribute.hpp"
#include "distributed/node_rows.hpp"

namespace cone::distributed {
namespace {

/// The rows of data that this process has completely.
NodeRows list_rows(const LoadedData& data, std::span<const PolicyOnData> policies) {
  const Dataset& observed = data.observed;
  const std::size_t n = observed.num_nodes();
  NodeRows rows{.arm = observed.treatment,
                .outcome = observed.outcome,
                .numeric = Matrix<double>(n, 0),
                .truth = Matrix<double>(n, 0),
                .propensity = observed.propensity.value_or(Matrix<double>(n, 0)),
                .mu = observed.mu.value_or(Matrix<double>(n, 0))};
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (NodeIndex i = 0; i < n; ++i) {
    rows.number.push_back(i);
    rows.hash.push_back(observed.hash_of(i));
    const std::vector<std::uint64_t> neighbours = observed.neighbour_numbers(i);
    rows.neighbours.insert(rows.neighbours.end(), neighbours.begin(), neighbours.end());
    rows.edge_offsets.push_back(rows.neighbours.size());
    observed.features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
      if (value == 0) return;
      columns.push_back(column);
      values.push_back(value);
    });
    offsets.push_back(columns.size());
  }
  rows.counts = SparseMatrix(observed.features.matrix.cols(), std::move(offsets),
                             std::move(columns), std::move(values));
  if (data.truth) {
    rows.truth = Matrix<double>(n, observed.num_arms());
    for (NodeIndex i = 0; i < n; ++i) {
      std::ranges::copy(data.truth->outcomes().row(i), rows.truth.row(i).begin());
    }
  }
  std::vector<std::vector<double>> own;
  if (!observed.weight.empty()) own.push_back(observed.weight);
  if (!observed.cluster.empty()) own.emplace_back(observed.cluster.begin(), observed.cluster.end());
  for (const NamedColumn& column : observed.kept) own.push_back(column.values);
  rows.columns = Matrix<double>(n, own.size());
  for (std::size_t c = 0; c < own.size(); ++c) {
    for (std::size_t i = 0; i < n; ++i) rows.columns(i, c) = own[c][i];
  }
  for (const PolicyOnData& policy : policies) rows.policies.push_back(policy.probability);
  return rows;
}

nlohmann::json describe_data(const LoadedData& data, std::span<const PolicyOnData> policies) {
  const Dataset& observed = data.observed;
  nlohmann::json kept = nlohmann::json::array();
  for (const NamedColumn& column : observed.kept) kept.push_back(column.name);
  nlohmann::json names = nlohmann::json::array();
  nlohmann::json learnt_from = nlohmann::json::array();
  for (const PolicyOnData& policy : policies) {
    names.push_back(policy.name);
    learnt_from.push_back(policy.learnt_from);
  }
  return {{"nodes", observed.num_nodes()},
          {"edges", observed.num_edges()},
          {"self_loops", data.edges.num_self_loops},
          {"merged", data.edges.num_merged},
          {"arms", observed.arms},
          {"arm_sizes", observed.arm_sizes()},
          {"features", observed.features.names},
          {"numeric", observed.features.num_dense},
          {"counts", observed.features.matrix.cols()},
          {"has_weight", !observed.weight.empty()},
          {"has_cluster", !observed.cluster.empty()},
          {"columns", kept},
          {"outcome", outcome_column(data)},
          {"has_truth", data.truth.has_value()},
          {"has_propensity", observed.propensity.has_value()},
          {"has_mu", observed.mu.has_value()},
          {"policies", names},
          {"learnt_from", learnt_from},
          {"notes", data.notes},
          {"warnings", data.warnings}};
}

GlobalData read_description(const nlohmann::json& json) {
  GlobalData out;
  json.at("nodes").get_to(out.num_nodes);
  json.at("edges").get_to(out.edges.num_edges);
  json.at("self_loops").get_to(out.edges.num_self_loops);
  json.at("merged").get_to(out.edges.num_merged);
  json.at("arms").get_to(out.arms);
  json.at("arm_sizes").get_to(out.arm_sizes);
  json.at("features").get_to(out.feature_names);
  json.at("numeric").get_to(out.num_numeric_features);
  json.at("has_weight").get_to(out.has_weight);
  json.at("has_cluster").get_to(out.has_cluster);
  json.at("columns").get_to(out.column_names);
  json.at("outcome").get_to(out.outcome);
  json.at("policies").get_to(out.policy_names);
  json.at("learnt_from").get_to(out.learnt_from);
  json.at("notes").get_to(out.notes);
  json.at("warnings").get_to(out.warnings);
  return out;
}

/// Rows that this rank will have, of which it has none yet: tables know their columns.
NodeRows make_empty_rows(const nlohmann::json& json) {
  const std::size_t num_arms = json.at("arms").size();
  const auto width = [&](const char* has) {
    return json.at(has).get<bool>() ? num_arms : std::size_t{0};
  };
  const std::size_t num_columns = json.at("columns").size() +
                                  (json.at("has_weight").get<bool>() ? 1U : 0U) +
                                  (json.at("has_cluster").get<bool>() ? 1U : 0U);
  return {.numeric = Matrix<double>(0, 0),
          .counts = SparseMatrix(json.at("counts").get<std::size_t>(), {0}, {}, {}),
          .truth = Matrix<double>(0, width("has_truth")),
          .propensity = Matrix<double>(0, width("has_propensity")),
          .mu = Matrix<double>(0, width("has_mu")),
          .columns = Matrix<double>(0, num_columns),
          .policies =
              std::vector<Matrix<double>>(json.at("policies").size(), Matrix<double>(0, num_arms))};
}

}  // namespace

EvaluationInput distribute_input(const Communicator& comm, const EvaluationInput* whole,
                                 EngineReport& report) {
  const std::string described = comm.allgather(
      whole != nullptr ? describe_data(whole->data, whole->policies).dump() : std::string())[0];
  const auto json = nlohmann::json::parse(described);
  GlobalData global = read_description(json);
  NodeRows rows =
      whole != nullptr ? list_rows(whole->data, whole->policies) : make_empty_rows(json);
  move_rows(comm, assign_rows(rows, comm.size()), rows);
  report.meter.finish("distributing");
  EvaluationInput out = build_input(comm, std::move(rows), std::move(global));
  report.num_ghosts = out.data.observed.distributed->remote.size();
  report.meter.finish("positions");
  return out;
}

}  // namespace cone::distributed
