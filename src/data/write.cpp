#include "data/write.hpp"

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/column_roles.hpp"
#include "data/npz.hpp"

namespace cone {
namespace {

/// Above this a text file of features takes noticeably longer than the arrays themselves.
constexpr std::size_t kMaxListedEntries = 1'000'000;
constexpr std::string_view kClusterColumn = "cluster";

struct Column {
  std::string name;
  std::vector<double> values;
};

/// Named by label, or by the usual names for arms called 0 and 1.
std::vector<Column> optional_columns(const Dataset& data, const Truth* truth) {
  std::vector<Column> columns;
  const bool is_plain = has_plain_labels(data.arms);
  const auto append = [&](const char* quantity, MatrixView<const double> table) {
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      columns.push_back({fmt::format("{}{}{}", quantity, is_plain ? "" : ":", data.arms[a]),
                         arm_column(table, static_cast<Arm>(a))});
    }
  };
  if (data.propensity && is_plain) {
    columns.push_back({"propensity", arm_column(data.propensity->view(), 1)});
  } else if (data.propensity) {
    append("propensity", data.propensity->view());
  }
  if (data.mu) append("mu", data.mu->view());
  if (truth != nullptr) append("y", truth->outcomes());
  return columns;
}

/// A numeric feature is a column of nodes.csv, so its name must read back as that of a feature.
void check_names(const std::filesystem::path& folder, const Dataset& data) {
  const FeatureTable& features = data.features;
  for (std::size_t j = 0; j < features.num_dense; ++j) {
    const std::string& name = features.names[j];
    const std::string lower = lower_case(name);
    const bool has_role = lower == "id" || lower == "treatment" || lower == "outcome" ||
                          (!data.cluster.empty() && name == kClusterColumn) ||
                          load::given_role(name).has_value();
    if (!has_role && !name.empty() && trimmed(name) == name && text_problem(name) == nullptr) {
      continue;
    }
    throw Error(ErrorCode::kUsage,
                Fault{{.file = folder.string()},
                      fmt::format("a feature called '{}' cannot be written", printable(name)),
                      "rename it in the data it comes from"});
  }
}

/// Files store labels, but not which of them is the control arm: loading them without --control
/// must not silently choose another one.
void check_arms(const std::filesystem::path& folder, const std::vector<std::string>& arms) {
  load::LabelTally labels;
  for (const std::string& label : arms) labels.add(label, 0, "");
  const std::vector<std::string> header = {"treatment"};
  FaultList faults;
  std::vector<std::string> notes;
  const auto choice = load::choose_arms({.file = "nodes.csv", .header = header, .num_rows = 1}, 0,
                                        labels, "", faults, notes);
  if (!choice || choice->arms == arms) return;  // without a choice, loading asks for --control
  throw Error(
      ErrorCode::kUsage,
      Fault{{.file = folder.string()},
            fmt::format("the arms are {}, the control arm first, but reading the files back "
                        "would give {}",
                        list_arms(arms), list_arms(choice->arms)),
            "call the control arm 0 or control, and sort the others"});
}

void write_nodes(std::ostream& out, const Dataset& data, const Truth* truth) {
  const std::vector<Column> columns = optional_columns(data, truth);
  CsvWriter writer(out);
  writer.field("id").field("treatment").field("outcome");
  for (const Column& column : columns) writer.field(column.name);
  if (!data.cluster.empty()) writer.field(kClusterColumn);
  const std::size_t num_dense = data.features.num_dense;
  std::vector<double> numeric(num_dense);
  for (std::size_t j = 0; j < num_dense; ++j) writer.field(data.features.names[j]);
  writer.end_line();
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    writer.field(data.ids[static_cast<NodeIndex>(i)]).field(data.arms[data.treatment[i]]);
    writer.field(data.outcome[i]);
    for (const Column& column : columns) writer.field(column.values[i]);
    if (!data.cluster.empty()) writer.field(fmt::format("c{}", data.cluster[i]));
    std::fill(numeric.begin(), numeric.end(), 0.0);
    data.features.matrix.row(i).for_each([&](std::uint32_t j, double value) {
      if (j < num_dense) numeric[j] = value;
    });
    for (const double value : numeric) writer.field(value);
    writer.end_line();
  }
}

void write_edges(std::ostream& out, const Dataset& data) {
  CsvWriter writer(out);
  writer.field("source").field("target").end_line();
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    const auto source = static_cast<NodeIndex>(i);
    for (const NodeIndex target : data.graph.neighbours(source)) {
      if (source < target) writer.field(data.ids[source]).field(data.ids[target]).end_line();
    }
  }
}

void write_feature_list(std::ostream& out, const Dataset& data) {
  CsvWriter writer(out);
  writer.field("node").field("feature").field("value").end_line();
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    data.features.matrix.row(i).for_each([&](std::uint32_t j, double value) {
      if (value == 0 || j < data.features.num_dense) return;
      writer.field(data.ids[static_cast<NodeIndex>(i)]);
      writer.field(data.features.names[j]).field(value).end_line();
    });
  }
}

void write_feature_names(std::ostream& out, const Dataset& data) {
  CsvWriter writer(out);
  writer.field("feature").end_line();
  for (std::size_t j = data.features.num_dense; j < data.features.names.size(); ++j) {
    writer.field(data.features.names[j]).end_line();
  }
}

/// The count features, which come after the numeric ones.
SparseMatrix count_columns(const FeatureTable& features) {
  const auto first = static_cast<std::uint32_t>(features.num_dense);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < features.matrix.rows(); ++i) {
    features.matrix.row(i).for_each([&](std::uint32_t j, double value) {
      if (j < first) return;
      columns.push_back(j - first);
      values.push_back(value);
    });
    offsets.push_back(columns.size());
  }
  return {features.num_counts(), std::move(offsets), std::move(columns), std::move(values)};
}

/// Feature files that remain in the folder would be read as part of the dataset. They may be the
/// user's own.
void refuse_other_features(const std::filesystem::path& folder, bool has_features, bool as_matrix) {
  for (const char* name : {"features.csv", "features.npz", "feature_names.csv"}) {
    const bool is_written =
        has_features && name != std::string_view(as_matrix ? "features.csv" : "features.npz");
    if (is_written || path_kind(folder / name) == PathKind::kMissing) continue;
    throw Error(ErrorCode::kUsage, Fault{{.file = (folder / name).string()},
                                         "already exists and is not part of this data",
                                         "write to a new folder"});
  }
}

}  // namespace

void write_dataset(const Context& context, const std::filesystem::path& folder, const Dataset& data,
                   const Truth* truth) {
  if (!data.has_log()) {
    throw Error(ErrorCode::kUsage,
                Fault{{.file = folder.string()},
                      "the data has no treatments and outcomes to write",
                      "add treatments and outcomes, or simulate them with cone simulate"});
  }
  check_names(folder, data);
  check_arms(folder, data.arms);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw Error(ErrorCode::kIo, Fault{{.file = folder.string()},
                                      "cannot be created: " + failure.message(),
                                      "check the path and the permissions"});
  }
  const bool has_features = data.features.num_counts() > 0;
  const bool as_matrix = data.features.matrix.sparse().num_entries() > kMaxListedEntries;
  refuse_other_features(folder, has_features, as_matrix);
  std::uint64_t num_written = 0;
  const auto write = [&](const char* name, const auto& body) {
    context.report("writing", num_written++, 4);
    write_atomically(folder / name, body);
  };
  write("nodes.csv", [&](std::ostream& out) { write_nodes(out, data, truth); });
  write("edges.csv", [&](std::ostream& out) { write_edges(out, data); });
  if (!has_features) return context.report("writing", 4, 4);
  write("feature_names.csv", [&](std::ostream& out) { write_feature_names(out, data); });
  if (as_matrix) {
    context.report("writing", num_written, 4);
    write_csr_npz(folder / "features.npz", count_columns(data.features));
  } else {
    write("features.csv", [&](std::ostream& out) { write_feature_list(out, data); });
  }
  context.report("writing", 4, 4);
}

void write_weighted_edges(const std::filesystem::path& path, const IdTable& ids, const Graph& graph,
                          std::span<const double> weights) {
  require(weights.size() == graph.num_edges(), "write: one weight per edge");
  write_atomically(path, [&](std::ostream& out) {
    CsvWriter lines(out);
    lines.field("source").field("target").field("weight").end_line();
    std::size_t edge = 0;
    for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
      for (const NodeIndex j : graph.neighbours(i)) {
        if (i < j) lines.field(ids[i]).field(ids[j]).field(weights[edge++]).end_line();
      }
    }
  });
}

}  // namespace cone
