#include "data/mat_file.hpp"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"

#include "data/mat5_reader.hpp"
#include "data/number.hpp"

namespace cone {
namespace {

/// The matrices that were read, by variable, each column by column (see read_mat_columns).
using Matrices = std::map<std::string, SparseMatrix>;

/// Treatment and potential outcomes.
constexpr std::array kLoggedNames = {"T", "Y1", "Y0"};

/// The variables that are read, by name. One that occurs twice is a fault, as it is ambiguous.
std::map<std::string, MatVariable> find_wanted(std::vector<MatVariable> variables,
                                               FaultList& faults) {
  std::map<std::string, MatVariable> wanted;
  for (MatVariable& variable : variables) {
    const std::string name = variable.name;
    if (name != "Network" && name != "Attributes" && name != "X_100" && name != "T" &&
        name != "Y1" && name != "Y0") {
      continue;
    }
    const Place place = variable.place;
    if (!wanted.emplace(name, std::move(variable)).second) {
      faults.add("repeated variable", {place, "is in the file twice", "save it once"});
    }
  }
  if (wanted.contains("X_100")) wanted.erase("Attributes");
  return wanted;
}

void check_presence(const std::map<std::string, MatVariable>& wanted, const Place& file,
                    FaultList& faults) {
  const auto missing = [&](const std::string& name, const std::string& advice) {
    faults.add("missing variable", {{.file = file.file, .item = name}, "is missing", advice});
  };
  if (!wanted.contains("Network")) missing("Network", "save the n × n adjacency matrix as Network");
  if (!wanted.contains("X_100") && !wanted.contains("Attributes")) {
    missing("Attributes", "save the n × M feature matrix as Attributes or X_100");
  }
  bool any = false;
  for (const char* name : kLoggedNames) any = any || wanted.contains(name);
  for (const char* name : kLoggedNames) {
    if (any && !wanted.contains(name)) {
      missing(name, "give all of T, Y1 and Y0, or none of them");
    }
  }
}

/// Checks the declared shapes; read_mat_columns checks them against the data.
void check_shapes(const std::map<std::string, MatVariable>& wanted, FaultList& faults) {
  const auto network = wanted.find("Network");
  if (network == wanted.end()) return;
  const std::uint64_t n = network->second.rows();
  for (const auto& [name, variable] : wanted) {
    const std::uint64_t rows = variable.rows();
    const std::uint64_t cols = variable.cols();
    std::string must;
    if (name == "Network") {
      if (rows != cols) must = "be square";
    } else if (name == "X_100" || name == "Attributes") {
      if (rows != n) must = fmt::format("have {} rows, one per node of Network", n);
      if (rows > 0 && cols > kMostFeatures)
        must = fmt::format("have at most {} columns", kMostFeatures);
    } else if (!(rows == n && cols == 1) && !(rows == 1 && cols == n)) {
      must = fmt::format("be {} × 1, one value per node of Network", n);
    }
    if (must.empty()) continue;
    faults.add("shape", {variable.place, fmt::format("is {} × {}, must {}", rows, cols, must),
                         "give variables of the same nodes"});
  }
}

/// Calls body(row, column, value) for the nonzeros of a matrix kept by column.
template <class Body>
void for_each_entry(const SparseMatrix& columns, const Body& body) {
  for (std::size_t j = 0; j < columns.rows(); ++j) {
    const SparseMatrix::Row column = columns.row(j);
    for (std::size_t k = 0; k < column.size(); ++k) {
      body(column.columns[k], static_cast<NodeIndex>(j), column.values[k]);
    }
  }
}

void check_values(const Place& place, const SparseMatrix& columns, FaultList& faults) {
  for_each_entry(columns, [&](NodeIndex row, NodeIndex column, double value) {
    std::string rule;
    if (const char* problem = number_problem(value)) {
      rule = fmt::format("it {}", problem);
    } else if (place.item == "T" && value != 1) {
      rule = value > 1 && std::floor(value) == value ? "a .mat file holds two arms, 0 and 1"
                                                     : "must be 0 or 1";
    }
    if (rule.empty()) return;
    faults.add(place.item + " value",
               {place, fmt::format("is {} at ({}, {}): {}", value, row + 1, column + 1, rule),
                "correct the value (rows and columns are numbered from 1)"});
  });
}

void check_scale(const Place& place, const SparseMatrix& columns, FaultList& faults) {
  if (!is_too_small(columns.values())) return;
  faults.add("scale", {place,
                       fmt::format("all values are smaller than {:g}: their squares underflow to 0",
                                   kSmallestMagnitude),
                       "rescale it"});
}

void check_arms(const Place& place, const SparseMatrix& treatment, FaultList& faults) {
  const std::size_t num_nodes = treatment.rows() * treatment.cols();
  const std::size_t num_treated = treatment.num_entries();
  if (num_treated != 0 && num_treated != num_nodes) return;
  faults.add("one arm", {place, num_treated == 0 ? "is 0 for every node" : "is 1 for every node",
                         "give data with treated and control nodes"});
}

/// n × 1 or 1 × n → n values; the index that is not always 0 is the node.
std::vector<double> to_vector(const SparseMatrix& columns) {
  std::vector<double> values(columns.rows() * columns.cols(), 0.0);
  for_each_entry(columns, [&](NodeIndex row, NodeIndex column, double value) {
    values[row + column] = value;
  });
  return values;
}

void take_logged_data(const Matrices& matrices, LoadedData& loaded) {
  const std::vector<double> treatment = to_vector(matrices.at("T"));
  const std::vector<double> y1 = to_vector(matrices.at("Y1"));
  const std::vector<double> y0 = to_vector(matrices.at("Y0"));
  for (std::size_t i = 0; i < treatment.size(); ++i) {
    const bool treated = treatment[i] == 1;
    loaded.observed.treatment.push_back(treated ? 1 : 0);
    loaded.observed.outcome.push_back(treated ? y1[i] : y0[i]);
  }
  loaded.truth.emplace(join_arms(std::array{y0, y1}));
}

/// Every check has passed.
LoadedData assemble(const Context& context, const Matrices& matrices) {
  LoadedData loaded;
  const SparseMatrix& network = matrices.at("Network");
  const std::size_t num_nodes = network.rows();
  std::vector<Edge> edges;
  edges.reserve(network.num_entries());
  for_each_entry(network, [&](NodeIndex row, NodeIndex column, double) {
    edges.push_back({row, column});
  });
  loaded.observed.ids = IdTable::numbered(num_nodes);
  loaded.observed.graph = build_graph(context, num_nodes, edges, &loaded.edges);
  loaded.edges.num_merged = 0;

  const auto reduced = matrices.find("X_100");
  FeatureTable& features = loaded.observed.features;
  features.matrix =
      (reduced != matrices.end() ? reduced->second : matrices.at("Attributes")).transposed();
  for (std::size_t j = 0; j < features.matrix.cols(); ++j) {
    features.names.push_back(fmt::format("w{}", j));
  }
  if (matrices.contains("T")) take_logged_data(matrices, loaded);
  return loaded;
}

}  // namespace

LoadedData load_mat(const Context& context, const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_mat(context, file.bytes(), path.string());
}

LoadedData parse_mat(const Context& context, std::string_view bytes, const std::string& file) {
  const Place place{.file = file};
  FaultList faults;
  std::vector<MatVariable> variables = list_mat_variables(bytes, place, faults);
  const bool all_found = faults.empty();
  const auto wanted = find_wanted(std::move(variables), faults);
  // Where damage hides the rest of the file, a missing variable may be there.
  if (all_found) check_presence(wanted, place, faults);
  check_shapes(wanted, faults);

  // Reading continues after a fault, to find the others; only assembling needs valid data.
  Matrices matrices;
  for (const auto& [name, variable] : wanted) {
    try {
      const SparseMatrix& columns =
          matrices.emplace(name, read_mat_columns(variable)).first->second;
      check_values(variable.place, columns, faults);
      if (name == "Y0" || name == "Y1") check_scale(variable.place, columns, faults);
      if (name == "T") check_arms(variable.place, columns, faults);
    } catch (const Error& error) {
      for (const Fault& fault : error.faults()) faults.add("damage", fault);
    }
  }
  faults.throw_if_any(ErrorCode::kData);
  return assemble(context, matrices);
}

}  // namespace cone
