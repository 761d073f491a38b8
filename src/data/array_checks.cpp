#include "data/array_checks.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/number.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

/// Whether offsets ascend from 0 to `num_entries`, one more than there are nodes; a fault if not.
bool are_offsets(std::span<const std::uint64_t> offsets, std::size_t num_nodes,
                 std::size_t num_entries, const char* item, FaultList& faults) {
  const bool fits = offsets.size() == num_nodes + 1 && offsets.front() == 0 &&
                    offsets.back() == num_entries && std::is_sorted(offsets.begin(), offsets.end());
  if (!fits) {
    faults.add("offsets", {{.item = item},
                           fmt::format("the offsets must be {} numbers that ascend from 0 to {}",
                                       num_nodes + 1, num_entries),
                           "pass the arrays of one matrix in compressed sparse row (CSR) format"});
  }
  return fits;
}

void check_edge_end(std::size_t edge, const char* column, NodeIndex row, std::size_t num_nodes,
                    FaultList& faults) {
  if (row < num_nodes) return;
  validation::add_fault(faults, std::string("unknown row in ") + column, [&]() -> Fault {
    return {{.file = fmt::format("edge {}", edge), .column = column},
            fmt::format("row {} is out of range: there are {} rows", row, num_nodes),
            "number rows from 0"};
  });
}

}  // namespace

void check_lengths(const DatasetArrays& arrays, FaultList& faults) {
  const std::size_t n = arrays.outcome.size();
  const auto refuse = [&](const char* column, std::string what, const char* advice) {
    faults.add(column, {{.column = column}, std::move(what), advice});
  };
  if (n == 0) refuse("outcome", "there are no rows", "give one number per node");
  const bool has_labels = !arrays.treatment.empty();
  if (has_labels && !arrays.treatment_numbers.empty()) {
    refuse("treatment", "is given as labels and as numbers", "give one of them");
  } else if (!has_labels && arrays.treatment_numbers.empty()) {
    refuse("treatment", "is missing", "give one label or number per node");
  }
  const auto check = [&](const char* column, std::size_t size, bool is_given) {
    if (!is_given || size == n) return;
    refuse(column, fmt::format("has {} rows where the outcome has {}", size, n),
           "give one row per node");
  };
  check("treatment", arrays.treatment.size(), has_labels);
  check("treatment", arrays.treatment_numbers.size(), !arrays.treatment_numbers.empty());
  check("id", arrays.ids.size(), !arrays.ids.empty());
  check("weight", arrays.weight.size(), !arrays.weight.empty());
  check("cluster", arrays.cluster.size(), !arrays.cluster.empty());
  check("features", arrays.numeric_features.rows(), arrays.numeric_features.cols() > 0);
  check("propensity", arrays.propensity.table.rows(), arrays.propensity.is_given());
  check("mu", arrays.mu.table.rows(), arrays.mu.is_given());
  check("y", arrays.truth.table.rows(), arrays.truth.is_given());
  for (const NamedColumn& column : arrays.kept) {
    check(column.name.c_str(), column.values.size(), true);
  }
  const auto check_names = [&](const char* column, std::size_t num_names, std::size_t size) {
    if (num_names == 0 || num_names == size) return;
    refuse(column, fmt::format("{} columns have {} names", size, num_names),
           "give one name per column, in order");
  };
  check_names("features", arrays.numeric_feature_names.size(), arrays.numeric_features.cols());
  check_names("counts", arrays.counts.names.size(), arrays.counts.num_columns);
  check_names("propensity", arrays.propensity.arms.size(), arrays.propensity.table.cols());
  check_names("mu", arrays.mu.arms.size(), arrays.mu.table.cols());
  check_names("y", arrays.truth.arms.size(), arrays.truth.table.cols());
}

IdTable take_ids(const DatasetArrays& arrays, FaultList& faults) {
  if (arrays.ids.empty()) return IdTable::numbered(arrays.outcome.size());
  IdTable ids;
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (std::size_t i = 0; i < arrays.ids.size(); ++i) {
    const std::string& id = arrays.ids[i];
    const auto refuse = [&](const char* kind, const std::string& what, const char* advice) {
      faults.add(kind, {{.file = fmt::format("row {}", i), .column = "id"}, what, advice});
    };
    if (id.empty()) {
      refuse("empty id", "is empty", "give every row an id");
    } else if (const char* problem = text_problem(id)) {
      refuse("id", fmt::format("'{}' {}", printable(id), problem), "use UTF-8");
    } else if (const auto [first, is_new] = row_of.try_emplace(id, i); !is_new) {
      refuse("duplicate id", fmt::format("'{}' is already in row {}", printable(id), first->second),
             "give every node one row");
    }
    ids.insert(id);
  }
  return ids;
}

std::vector<Edge> take_edges(const DatasetArrays& arrays, FaultList& faults) {
  const std::size_t n = arrays.outcome.size();
  std::vector<Edge> edges(arrays.edges.begin(), arrays.edges.end());
  if (!arrays.neighbour_offsets.empty() || !arrays.neighbours.empty()) {
    if (!edges.empty()) {
      faults.add("network", {{.item = "edges"},
                             "the network is given both as an edge list and as neighbour lists",
                             "give one of them"});
      return {};
    }
    if (!are_offsets(arrays.neighbour_offsets, n, arrays.neighbours.size(), "neighbours", faults)) {
      return {};
    }
    edges.reserve(arrays.neighbours.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::uint64_t k = arrays.neighbour_offsets[i]; k < arrays.neighbour_offsets[i + 1];
           ++k) {
        edges.push_back({static_cast<NodeIndex>(i), arrays.neighbours[k]});
      }
    }
  }
  for (std::size_t k = 0; k < edges.size(); ++k) {
    check_edge_end(k, "source", edges[k].source, n, faults);
    check_edge_end(k, "target", edges[k].target, n, faults);
  }
  return edges;
}

SparseMatrix take_counts(const DatasetArrays& arrays, FaultList& faults) {
  const SparseArrays& counts = arrays.counts;
  const std::size_t n = arrays.outcome.size();
  if (counts.columns.size() != counts.values.size()) {
    faults.add("offsets", {{.item = "counts"},
                           fmt::format("{} column indices for {} values", counts.columns.size(),
                                       counts.values.size()),
                           "pass the arrays of one matrix in compressed sparse row (CSR) format"});
    return {};
  }
  if (!are_offsets(counts.offsets, n, counts.columns.size(), "counts", faults)) return {};
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::size_t i = 0; i < n; ++i) {
    row.clear();
    const Place place{.file = fmt::format("row {}", i), .item = "counts"};
    for (std::uint64_t k = counts.offsets[i]; k < counts.offsets[i + 1]; ++k) {
      if (counts.columns[k] >= counts.num_columns) {
        validation::add_fault(faults, "column of counts", [&]() -> Fault {
          return {place,
                  fmt::format("column {} is out of range: there are {} columns", counts.columns[k],
                              counts.num_columns),
                  "number columns from 0"};
        });
      } else if (const char* problem = number_problem(counts.values[k])) {
        validation::add_fault(faults, "value of counts", [&]() -> Fault {
          return {place,
                  fmt::format("{} in column {} {}", counts.values[k], counts.columns[k], problem),
                  "correct the value"};
        });
      } else if (counts.values[k] != 0) {
        row.emplace_back(counts.columns[k], counts.values[k]);
      }
    }
    std::sort(row.begin(), row.end());
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) {
        validation::add_fault(faults, "repeated column of counts", [&]() -> Fault {
          return {place, fmt::format("column {} occurs twice", row[k].first),
                  "call sum_duplicates() on the matrix first"};
        });
        continue;
      }
      columns.push_back(row[k].first);
      values.push_back(row[k].second);
    }
    offsets.push_back(columns.size());
  }
  return {counts.num_columns, std::move(offsets), std::move(columns), std::move(values)};
}

std::vector<std::string> take_names(const DatasetArrays& arrays, FaultList& faults) {
  std::vector<std::string> names = arrays.numeric_feature_names;
  for (std::size_t j = names.size(); j < arrays.numeric_features.cols(); ++j) {
    names.push_back(fmt::format("x{}", j));
  }
  names.insert(names.end(), arrays.counts.names.begin(), arrays.counts.names.end());
  for (std::size_t j = arrays.counts.names.size(); j < arrays.counts.num_columns; ++j) {
    names.push_back(fmt::format("f{}", j));
  }
  IdTable seen;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto refuse = [&](const std::string& what, const char* advice) {
      faults.add("name", {{.item = fmt::format("feature {}", j)}, what, advice});
    };
    if (names[j].empty()) {
      refuse("has no name", "name it");
    } else if (const char* problem = text_problem(names[j])) {
      refuse(fmt::format("the name '{}' {}", printable(names[j]), problem), "use UTF-8");
    } else if (!seen.insert(names[j]).inserted) {
      refuse(fmt::format("two columns are called '{}'", printable(names[j])), "rename one");
    }
  }
  return names;
}

}  // namespace cone::load
