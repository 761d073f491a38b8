#include "dataset_state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "cone/error.hpp"
#include "cone/json.hpp"

#include "arrays.hpp"
#include "options.hpp"

namespace cone::python {
namespace {

constexpr int kStateVersion = 1;

template <class T>
py::array copy_array(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

py::array copy_table(MatrixView<const double> view) {
  Matrix<double> table(view.rows(), view.cols());
  for (std::size_t i = 0; i < view.rows(); ++i) {
    std::ranges::copy(view.row(i), table.row(i).begin());
  }
  return to_numpy(std::move(table));
}

py::object copy_optional(const std::optional<Matrix<double>>& table) {
  return table ? py::object(copy_table(table->view())) : py::none();
}

/// Entries of a state by name, each of the type that it must have.
class State {
 public:
  explicit State(const py::dict& entries) : entries_(entries) {}

  template <class T>
  T take(const char* name) const {
    try {
      return entries_[name].cast<T>();
    } catch (const std::exception&) {
      throw Error(
          ErrorCode::kData,
          {{.item = name}, "is missing from the pickled dataset, or broken", "pickle it again"});
    }
  }
  template <class T>
  std::vector<T> take_vector(const char* name) const {
    const auto array = take<Array<T>>(name);
    const std::span<const T> values = span_of(array);
    return {values.begin(), values.end()};
  }
  Matrix<double> take_table(const char* name) const { return read_table(take<Doubles>(name)); }
  std::optional<Matrix<double>> take_optional(const char* name) const {
    const auto entry = take<py::object>(name);
    if (entry.is_none()) return std::nullopt;
    return read_table(take<Doubles>(name));
  }

 private:
  static Matrix<double> read_table(const Doubles& array) {
    require(array.ndim() == 2, "a table has rows and columns");
    Matrix<double> out(static_cast<std::size_t>(array.shape(0)),
                       static_cast<std::size_t>(array.shape(1)));
    std::ranges::copy(span_of(array), out.values().begin());
    return out;
  }

  const py::dict& entries_;
};

py::list list_strings(const IdTable& table) {
  py::list out(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    out[i] = py::str(std::string(table[static_cast<NodeIndex>(i)]));
  }
  return out;
}

IdTable take_ids(const State& state, const char* name) {
  IdTable table;
  for (const std::string& id : state.take<std::vector<std::string>>(name)) table.insert(id);
  return table;
}

py::list list_columns(const std::vector<TableColumn>& columns) {
  py::list out;
  for (const TableColumn& c : columns) {
    out.append(
        py::make_tuple(c.name, c.role, c.kind, c.num_missing, c.first_feature, c.num_features));
  }
  return out;
}

std::vector<TableColumn> take_columns(const State& state) {
  using Row =
      std::tuple<std::string, std::string, std::string, std::uint64_t, std::size_t, std::size_t>;
  std::vector<TableColumn> columns;
  for (auto& [name, role, kind, missing, first, count] : state.take<std::vector<Row>>("columns")) {
    columns.push_back({name, role, kind, missing, first, count});
  }
  return columns;
}

FeatureTable take_features(const State& state) {
  FeatureTable features;
  features.names = state.take<std::vector<std::string>>("feature_names");
  features.num_dense = state.take<std::size_t>("num_dense");
  SparseMatrix sparse(features.names.size(), state.take_vector<std::uint64_t>("sparse_offsets"),
                      state.take_vector<std::uint32_t>("sparse_columns"),
                      state.take_vector<double>("sparse_values"));
  features.matrix = FeatureMatrix(state.take_vector<std::uint32_t>("dense_columns"),
                                  state.take_table("dense"), std::move(sparse));
  return features;
}

/// What pickle cannot know: arrays of one dataset have one length.
void require_fit(const LoadedData& data) {
  const Dataset& d = data.observed;
  const std::size_t n = d.num_nodes();
  const auto fits = [&](std::size_t size) { return size == 0 || size == n; };
  const auto table_fits = [&](const std::optional<Matrix<double>>& table) {
    return !table || (table->rows() == n && table->cols() == d.num_arms());
  };
  bool is_whole = d.graph.num_nodes() == n && d.features.matrix.rows() == n &&
                  d.features.num_dense <= d.features.names.size() && fits(d.treatment.size()) &&
                  d.outcome.size() == d.treatment.size() && fits(d.weight.size()) &&
                  fits(d.cluster.size()) && table_fits(d.propensity) && table_fits(d.mu);
  for (const Arm arm : d.treatment) is_whole = is_whole && arm < d.num_arms();
  for (const NamedColumn& column : d.kept) is_whole = is_whole && column.values.size() == n;
  if (data.truth) is_whole = is_whole && data.truth->outcomes().rows() == n;
  if (is_whole) return;
  throw Error(ErrorCode::kData, {{.item = "Dataset"},
                                 "the parts of the pickled dataset do not fit together",
                                 "pickle it again"});
}

}  // namespace

py::dict get_state(const DatasetHandle& handle) {
  const Dataset& d = handle.observed();
  const FeatureMatrix& matrix = d.features.matrix;
  py::dict state;
  state["version"] = kStateVersion;
  state["name"] = handle.name;
  state["table"] = dump_json(option_json(handle.table));
  state["can_reload"] = handle.can_reload;
  state["load_seconds"] = handle.load_seconds;
  state["ids"] = list_strings(d.ids);
  state["left_out"] = list_strings(d.left_out);
  state["offsets"] = copy_array(d.graph.offsets());
  state["neighbours"] = copy_array(d.graph.neighbours());
  const EdgeListReport& edges = handle.data.edges;
  state["edges"] = std::vector<std::uint64_t>{edges.num_lines, edges.num_edges,
                                              edges.num_self_loops, edges.num_merged};
  state["feature_names"] = d.features.names;
  state["num_dense"] = d.features.num_dense;
  state["dense_columns"] = copy_array(matrix.dense_columns());
  state["dense"] = copy_table(matrix.dense().view());
  state["sparse_offsets"] = copy_array(matrix.sparse().offsets());
  state["sparse_columns"] = copy_array(matrix.sparse().columns());
  state["sparse_values"] = copy_array(matrix.sparse().values());
  state["arms"] = d.arms;
  state["treatment"] = to_numpy(d.treatment);
  state["outcome"] = to_numpy(d.outcome);
  state["weight"] = to_numpy(d.weight);
  state["cluster"] = to_numpy(d.cluster);
  state["propensity"] = copy_optional(d.propensity);
  state["mu"] = copy_optional(d.mu);
  py::list kept;
  for (const NamedColumn& c : d.kept) kept.append(py::make_tuple(c.name, to_numpy(c.values)));
  state["kept"] = kept;
  state["truth"] =
      handle.data.truth ? py::object(copy_table(handle.data.truth->outcomes())) : py::none();
  state["columns"] = list_columns(handle.data.columns);
  state["notes"] = handle.data.notes;
  state["warnings"] = handle.data.warnings;
  return state;
}

std::unique_ptr<DatasetHandle> set_state(const py::dict& entries) {
  const State state(entries);
  if (state.take<int>("version") != kStateVersion) {
    throw Error(ErrorCode::kData, {{.item = "Dataset"},
                                   "was pickled by another version of cone",
                                   "read the data again, and pickle that"});
  }
  LoadedData data;
  Dataset& d = data.observed;
  d.ids = take_ids(state, "ids");
  d.left_out = take_ids(state, "left_out");
  d.graph = Graph(state.take_vector<std::uint64_t>("offsets"),
                  state.take_vector<NodeIndex>("neighbours"));
  const auto edges = state.take<std::array<std::uint64_t, 4>>("edges");
  data.edges = {edges[0], edges[1], edges[2], edges[3]};
  d.features = take_features(state);
  d.arms = state.take<std::vector<std::string>>("arms");
  d.treatment = state.take_vector<Arm>("treatment");
  d.outcome = state.take_vector<double>("outcome");
  d.weight = state.take_vector<double>("weight");
  d.cluster = state.take_vector<std::uint32_t>("cluster");
  d.propensity = state.take_optional("propensity");
  d.mu = state.take_optional("mu");
  for (auto& [name, values] : state.take<std::vector<std::pair<std::string, Doubles>>>("kept")) {
    const std::span<const double> all = span_of(values);
    d.kept.push_back({name, {all.begin(), all.end()}});
  }
  if (auto truth = state.take_optional("truth")) data.truth = Truth(std::move(*truth));
  data.columns = take_columns(state);
  data.notes = state.take<std::vector<std::string>>("notes");
  data.warnings = state.take<std::vector<std::string>>("warnings");
  require_fit(data);
  return std::make_unique<DatasetHandle>(
      DatasetHandle{std::move(data), state.take<std::string>("name"),
                    Keywords(state.take<std::string>("table")).take<LoadOptions>(),
                    state.take<bool>("can_reload"), state.take<double>("load_seconds")});
}

}  // namespace cone::python
