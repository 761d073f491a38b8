#include "dataset.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/load.hpp"
#include "cone/output.hpp"
#include "cone/simulate.hpp"
#include "cone/text.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "dataset_state.hpp"
#include "keyword_text.hpp"
#include "options.hpp"

namespace cone::python {
namespace {

using Files = std::map<std::string, std::string, std::less<>>;

/// Replaces names of files that were written here by the arguments that the user passed.
std::string name_arguments(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {{
      {"there is no edges.csv: ", "no edges were given: "},
      {" (feature_names.csv names the columns of features.npz)",
       " (count_names= names the counts)"},
      {"in nodes.csv and among the sparse features", "among the features and among the counts"},
      {"nodes.csv", "the table"},
      {"edges.csv", "the edges"},
      {"features.csv", "the counts"},
  }};
  for (const auto& [from, to] : kNames) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

/// Lines of a table that was written here are rows of the user's table.
[[noreturn]] void rethrow_with_rows(const Error& error) {
  constexpr std::uint64_t kFirstLine = 2;  // after the header
  std::vector<Fault> faults = error.faults();
  for (Fault& fault : faults) {
    fault.what = name_arguments(std::move(fault.what));
    fault.advice = name_arguments(std::move(fault.advice));
    Place& place = fault.place;
    if (place.file == "edges.csv") {
      place.file =
          place.line < kFirstLine ? "edges" : fmt::format("edge {}", place.line - kFirstLine);
      place.line = 0;
    } else if (place.file == "features.csv" || place.file == "feature_names.csv") {
      place.file = place.file == "features.csv" ? "counts" : "count_names";
      place.line = 0;
    } else if (place.file == "nodes.csv") {
      place.file.clear();
      if (place.line >= kFirstLine) {
        const std::string id = place.item.empty() ? "" : fmt::format(" ({})", place.item);
        place.file = fmt::format("row {}{}", place.line - kFirstLine, id);
        place.item.clear();
      }
      place.line = 0;
    }
  }
  throw Error(error.code(), std::move(faults), error.num_unlisted());
}

/// Files of a dataset folder as text in memory: a node table, and others where there are some.
std::unique_ptr<DatasetHandle> read_text(Files files, const std::string& table,
                                         const std::vector<std::string>& keep,
                                         const std::string& name, int threads,
                                         py::object progress) {
  LoadOptions options = Keywords(table).take<LoadOptions>();
  for (const std::string& column : keep) options.kept.push_back({column, "keep", false});
  const Stopwatch watch;
  const auto read = [&](const Context& context) {
    try {
      return load_dataset(context, MemoryFiles(std::move(files)), options);
    } catch (const Error& error) {
      rethrow_with_rows(error);
    }
  };
  LoadedData data = run_watched({.threads = threads, .progress = std::move(progress)}, read);
  for (std::string& note : data.notes) note = name_arguments(std::move(note));
  return std::make_unique<DatasetHandle>(
      DatasetHandle{std::move(data), name, std::move(options), false, watch.seconds()});
}

/// The arrays of a dataset by name; absent ones are None in Python.
struct Given {
  explicit Given(const py::dict& dictionary) : given(dictionary) {}

  template <class T>
  std::optional<T> find(const char* name) const {
    if (!given.contains(name) || given[name].is_none()) return std::nullopt;
    return given[name].cast<T>();
  }

  const py::dict& given;
};

std::unique_ptr<DatasetHandle> read_arrays(const py::dict& dictionary, int threads,
                                           py::object progress) {
  const Given given(dictionary);
  DatasetArrays arrays;
  const auto ids = given.find<std::vector<std::string>>("ids");
  if (ids) arrays.ids = *ids;
  const auto labels = given.find<std::vector<std::string>>("labels");
  if (labels) arrays.treatment = *labels;
  const auto numbers = given.find<Doubles>("treatment");
  if (numbers) arrays.treatment_numbers = span_of(*numbers);
  arrays.control = given.find<std::string>("control").value_or("");
  const auto outcome = given.find<Doubles>("outcome");
  if (outcome) arrays.outcome = span_of(*outcome);
  const auto weight = given.find<Doubles>("weight");
  if (weight) arrays.weight = span_of(*weight);
  const auto cluster = given.find<std::vector<std::string>>("cluster");
  if (cluster) arrays.cluster = *cluster;
  const auto features = given.find<Doubles>("features");
  if (features) arrays.numeric_features = view_of(*features);
  arrays.numeric_feature_names =
      given.find<std::vector<std::string>>("feature_names").value_or(std::vector<std::string>());
  const auto offsets = given.find<Array<std::uint64_t>>("count_offsets");
  const auto columns = given.find<Array<std::uint32_t>>("count_columns");
  const auto values = given.find<Doubles>("count_values");
  if (offsets && columns && values) {
    arrays.counts = {
        span_of(*offsets), span_of(*columns), span_of(*values),
        given.find<std::size_t>("num_counts").value_or(0),
        given.find<std::vector<std::string>>("count_names").value_or(std::vector<std::string>())};
  }
  const auto propensity = given.find<Doubles>("propensity");
  if (propensity) arrays.propensity.table = view_of(*propensity);
  const auto mu = given.find<Doubles>("mu");
  if (mu) arrays.mu.table = view_of(*mu);
  const auto truth = given.find<Doubles>("truth");
  if (truth) arrays.truth.table = view_of(*truth);
  std::vector<NamedColumn> kept;
  if (const auto columns_kept = given.find<std::map<std::string, Doubles>>("keep")) {
    for (const auto& [name, column] : *columns_kept) {
      const std::span<const double> all = span_of(column);
      kept.push_back({name, {all.begin(), all.end()}});
    }
  }
  arrays.kept = kept;
  std::vector<Edge> edges;
  if (const auto ends = given.find<Array<NodeIndex>>("edges")) {
    const std::span<const NodeIndex> all = span_of(*ends);
    edges.reserve(all.size() / 2);
    for (std::size_t k = 0; k + 1 < all.size(); k += 2) edges.push_back({all[k], all[k + 1]});
  }
  arrays.edges = edges;
  const auto neighbour_offsets = given.find<Array<std::uint64_t>>("neighbour_offsets");
  const auto neighbours = given.find<Array<NodeIndex>>("neighbours");
  if (neighbour_offsets && neighbours) {
    arrays.neighbour_offsets = span_of(*neighbour_offsets);
    arrays.neighbours = span_of(*neighbours);
  }
  const Stopwatch watch;
  LoadedData data =
      run_watched({.threads = threads, .progress = std::move(progress)},
                  [&](const Context& context) { return make_dataset(context, arrays); });
  LoadOptions table;
  table.control = arrays.control;
  // The names that a table of the same data would have.
  if (weight) table.weight = "weight";
  if (cluster) table.cluster = "cluster";
  return std::make_unique<DatasetHandle>(
      DatasetHandle{std::move(data), "arrays", std::move(table), false, watch.seconds()});
}

/// The features as rows of numbers, zeros included.
py::array dense_features(const DatasetHandle& handle) {
  const FeatureMatrix& matrix = handle.observed().features.matrix;
  Matrix<double> out(matrix.rows(), matrix.cols());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    matrix.row(i).for_each([&](std::uint32_t column, double value) { out(i, column) = value; });
  }
  return to_numpy(std::move(out));
}

/// (data, indices, indptr) as SciPy has them.
py::tuple sparse_features(const DatasetHandle& handle) {
  const SparseMatrix matrix = handle.observed().features.matrix.to_sparse();
  const auto copy = [](auto values) {
    using T = std::remove_cvref_t<decltype(values[0])>;
    return to_numpy(std::vector<T>(values.begin(), values.end()));
  };
  return py::make_tuple(copy(matrix.values()), copy(matrix.columns()), copy(matrix.offsets()));
}

std::vector<std::string> list_ids(const IdTable& table) {
  std::vector<std::string> ids;
  ids.reserve(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) ids.emplace_back(table[static_cast<NodeIndex>(i)]);
  return ids;
}

/// Every edge once, the smaller row first.
py::array list_edges(const DatasetHandle& handle) {
  const Graph& graph = handle.observed().graph;
  std::vector<std::int64_t> ends;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    for (const NodeIndex j : graph.neighbours(i)) {
      if (i < j) ends.insert(ends.end(), {i, j});
    }
  }
  const auto rows = static_cast<py::ssize_t>(ends.size() / 2);
  return to_numpy(std::move(ends), {rows, 2});
}

py::object optional_table(const std::optional<Matrix<double>>& table) {
  return table ? py::object(to_numpy(*table)) : py::none();
}

/// Data in memory cannot be read again: a column that was not kept is gone, or is a feature.
void refuse_missing_columns(const DatasetHandle& given, const std::vector<KeptColumn>& wanted) {
  std::vector<Fault> faults;
  for (const KeptColumn& column : wanted) {
    if (column.is_optional || given.observed().find_kept(column.name) != nullptr) continue;
    const std::string name = printable(column.name);
    faults.push_back(
        {{.item = column.flag},
         fmt::format("'{}' is neither a number nor a column that this dataset keeps", name),
         fmt::format("make the dataset with keep=[\"{0}\"], or by from_arrays with "
                     "keep={{\"{0}\": numbers}}; the column is then not a feature",
                     name)});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

std::string check_json(const DatasetHandle& handle) {
  return dump_json(to_json(report_data(handle.data)));
}

}  // namespace

DatasetHandle load_handle(const RunSettings& run, std::string name, LoadOptions table) {
  const Stopwatch watch;
  LoadedData data =
      run_watched(run, [&](const Context& context) { return load_named(context, name, table); });
  return {std::move(data), std::move(name), std::move(table), true, watch.seconds()};
}

KeptData::KeptData(const RunSettings& run, const DatasetHandle& given,
                   std::vector<KeptColumn> wanted)
    : given_(given) {
  const auto is_there = [&](const KeptColumn& column) {
    return given.observed().find_kept(column.name) != nullptr;
  };
  if (std::ranges::all_of(wanted, is_there)) return;
  if (!given.can_reload) {
    refuse_missing_columns(given, wanted);
    return;
  }
  LoadOptions table = given.table;
  table.kept = std::move(wanted);
  reloaded_ = load_handle(run, given.name, std::move(table));
}

void bind_dataset(py::module_& module) {
  py::class_<DatasetHandle>(module, "Dataset")
      .def_static(
          "load",
          [](const std::string& name, const std::string& table,
             const std::vector<std::string>& keep, int threads, py::object progress) {
            LoadOptions options = Keywords(table).take<LoadOptions>();
            for (const std::string& column : keep) options.kept.push_back({column, "keep", false});
            return load_handle({.threads = threads, .progress = std::move(progress)}, name,
                               std::move(options));
          },
          py::arg("name"), py::arg("table"), py::arg("keep"), py::arg("threads"),
          py::arg("progress"))
      .def_static("read_text", &read_text, py::arg("files"), py::arg("table"), py::arg("keep"),
                  py::arg("name"), py::arg("threads"), py::arg("progress"))
      .def_static("read_arrays", &read_arrays, py::arg("arrays"), py::arg("threads"),
                  py::arg("progress"))
      .def_property_readonly("num_nodes",
                             [](const DatasetHandle& d) { return d.observed().num_nodes(); })
      .def_property_readonly("num_edges",
                             [](const DatasetHandle& d) { return d.observed().graph.num_edges(); })
      .def_property_readonly("arms", [](const DatasetHandle& d) { return d.observed().arms; })
      .def_property_readonly("ids",
                             [](const DatasetHandle& d) { return list_ids(d.observed().ids); })
      .def_property_readonly("left_out",
                             [](const DatasetHandle& d) { return list_ids(d.observed().left_out); })
      .def_property_readonly(
          "treatment", [](const DatasetHandle& d) { return to_numpy(d.observed().treatment); })
      .def_property_readonly("outcome",
                             [](const DatasetHandle& d) { return to_numpy(d.observed().outcome); })
      .def_property_readonly("weight",
                             [](const DatasetHandle& d) { return to_numpy(d.observed().weight); })
      .def_property_readonly("feature_names",
                             [](const DatasetHandle& d) { return d.observed().features.names; })
      .def_property_readonly("features", &dense_features)
      .def_property_readonly("sparse_features", &sparse_features)
      .def_property_readonly("edges", &list_edges)
      .def_property_readonly(
          "propensity",
          [](const DatasetHandle& d) { return optional_table(d.observed().propensity); })
      .def_property_readonly("mu",
                             [](const DatasetHandle& d) { return optional_table(d.observed().mu); })
      .def_property_readonly("truth",
                             [](const DatasetHandle& d) -> py::object {
                               if (!d.data.truth) return py::none();
                               const MatrixView<const double> view = d.data.truth->outcomes();
                               Matrix<double> table(view.rows(), view.cols());
                               for (std::size_t i = 0; i < view.rows(); ++i) {
                                 std::ranges::copy(view.row(i), table.row(i).begin());
                               }
                               return to_numpy(std::move(table));
                             })
      .def_property_readonly("notes",
                             [](const DatasetHandle& d) { return spell_as_keywords(d.data.notes); })
      .def_property_readonly(
          "warnings", [](const DatasetHandle& d) { return spell_as_keywords(d.data.warnings); })
      .def_property_readonly("name", [](const DatasetHandle& d) { return d.name; })
      .def_property_readonly("checksum",
                             [](const DatasetHandle& d) { return d.observed().checksum(); })
      .def(
          "forget_files",
          [](DatasetHandle& d, const std::string& name) {
            d.name = name;
            d.can_reload = false;
          },
          py::arg("name"))
      .def(py::pickle(&get_state, &set_state))
      .def("check_json", &check_json)
      .def("check_text",
           [](const DatasetHandle& d) { return data_report_text(report_data(d.data)); });
}

}  // namespace cone::python
