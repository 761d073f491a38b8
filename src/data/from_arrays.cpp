#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/load.hpp"
#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/array_checks.hpp"
#include "data/cluster_labels.hpp"
#include "data/given_columns.hpp"
#include "data/load_parts.hpp"
#include "data/node_faults.hpp"
#include "data/number.hpp"
#include "data/sanity.hpp"

namespace cone {
namespace {

using load::CellTallies;
using load::ColumnRoles;
using load::FaultTable;
using load::GivenColumn;
using load::LabelTally;
using load::Oddity;
using load::Quantity;
using load::Tally;

/// Presents the arrays as the table that the checks of files expect: a header, roles and tallies.
class ArrayTable {
 public:
  ArrayTable(const DatasetArrays& arrays, FaultList& faults) : arrays_(arrays), faults_(faults) {
    roles_.treatment = add_column("treatment");
    roles_.numbers.push_back({"outcome", add_column("outcome"), Quantity::kOutcome, ""});
    if (!arrays.weight.empty()) {
      roles_.numbers.push_back({"weight", add_column("weight"), Quantity::kWeight, ""});
    }
    if (!arrays.cluster.empty()) roles_.cluster = add_column("cluster");
    for (const NamedColumn& column : arrays.kept) {
      kept_columns_.push_back(add_column(column.name));
      roles_.numbers.push_back({column.name, kept_columns_.back(), Quantity::kKept, ""});
    }
  }

  /// Reads the labels, chooses the arms, and takes the columns given per arm.
  void take_arms(std::vector<std::string>& notes) {
    std::vector<std::uint8_t> codes(num_rows());
    LabelTally labels;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = arrays_.treatment.empty()
                     ? labels.add(fmt::format("{}", arrays_.treatment_numbers[i]), i, id(i))
                     : labels.add(arrays_.treatment[i], i, id(i));
    }
    const auto choice =
        load::choose_arms(title(), *roles_.treatment, labels, arrays_.control, faults_, notes);
    odd_.add(*roles_.treatment, Oddity::kMissing, choice ? choice->missing : labels.missing());
    treatment_.assign(num_rows(), kControlArm);
    is_missing_.assign(num_rows(), true);
    if (!choice) return;
    arms_ = choice->arms;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const std::uint8_t arm =
          codes[i] == LabelTally::kNone ? LabelTally::kNone : choice->arm_of_label[codes[i]];
      if (arm == LabelTally::kNone) continue;
      treatment_[i] = arm;
      is_missing_[i] = false;
    }
    take_given(Quantity::kPropensity, arrays_.propensity);
    take_given(Quantity::kMu, arrays_.mu);
    take_given(Quantity::kTruth, arrays_.truth);
  }

  void check_numbers() {
    for (std::size_t i = 0; i < num_rows(); ++i) look_at(i, 1, arrays_.outcome[i]);
    if (!arrays_.weight.empty()) {
      const auto column = roles_.find("weight");
      for (std::size_t i = 0; i < num_rows(); ++i) {
        look_at(i, *column, arrays_.weight[i]);
        if (arrays_.weight[i] < 0) {
          odd_.add(*column, Oddity::kNegativeWeight, cell(i, arrays_.weight[i]));
        }
      }
    }
    for (std::size_t k = 0; k < arrays_.kept.size(); ++k) {
      const std::vector<double>& values = arrays_.kept[k].values;
      for (std::size_t i = 0; i < num_rows(); ++i) look_at(i, kept_columns_[k], values[i]);
    }
    for (const GivenColumn& column : given_) {
      for (std::size_t i = 0; i < num_rows(); ++i) {
        look_at(i, column.role.column, column.values[i]);
        const bool is_outside = column.values[i] < 0 || column.values[i] > 1;
        if (column.role.quantity == Quantity::kPropensity && is_outside) {
          odd_.add(column.role.column, Oddity::kNotAProbability, cell(i, column.values[i]));
        }
      }
    }
    for (std::size_t j = 0; j < arrays_.numeric_features.cols(); ++j) {
      const std::size_t column = add_column(names_[j]);
      roles_.features.push_back({column});
      for (std::size_t i = 0; i < num_rows(); ++i)
        look_at(i, column, arrays_.numeric_features(i, j));
    }
  }

  /// Runs the checks that files go through.
  void report() {
    const std::uint64_t num_faults = faults_.total();
    if (!arms_.empty()) load::check_given_arms(title(), arms_, given_, faults_);
    if (!arms_.empty() && faults_.total() == num_faults) {
      load::tally_propensities(
          arms_, given_, treatment_,
          [&](std::size_t i) { return !is_missing_[i] && are_given_finite(i); },
          [&](std::size_t i, std::size_t column) { return cell(i, value_of(i, column)); }, odd_);
    }
    load::report_odd_cells(title(), roles_, odd_, MissingPolicy::kRefuse, faults_);
  }

  /// The cluster number of every row.
  std::vector<std::uint32_t> take_clusters() {
    std::vector<std::uint32_t> out;
    load::ClusterLabels labels;
    for (std::size_t i = 0; i < arrays_.cluster.size(); ++i) {
      const std::string& label = arrays_.cluster[i];
      if (parse_number(label).kind == NumberKind::kMissing) {
        Tally missing{.count = 1, .first_row = i, .first_text = "", .first_id = printable(id(i))};
        odd_.add(*roles_.cluster, Oddity::kMissing, missing);
      }
      out.push_back(labels.add(label));
    }
    return out;
  }

  void set_names(std::vector<std::string> names) { names_ = std::move(names); }
  std::vector<std::string>& names() { return names_; }
  std::vector<std::string>& arms() { return arms_; }
  std::vector<Arm>& treatment() { return treatment_; }
  load::GivenTables given() const { return load::join_given(arms_, given_); }

  /// The role of every column, for reports.
  std::vector<TableColumn> columns() const {
    std::vector<TableColumn> columns;
    for (const std::string& name : header_) columns.push_back({.name = name});
    columns[*roles_.treatment].role = "treatment";
    if (roles_.cluster) columns[*roles_.cluster].role = "cluster";
    for (const load::NumberRole& role : roles_.numbers) {
      columns[role.column].role = role.quantity == Quantity::kKept ? "kept" : role.name;
    }
    for (std::size_t j = 0; j < roles_.features.size(); ++j) {
      TableColumn& column = columns[roles_.features[j].column];
      column.role = "feature";
      column.kind = "number";
      column.first_feature = j;
      column.num_features = 1;
    }
    return columns;
  }

 private:
  std::size_t num_rows() const { return arrays_.outcome.size(); }
  std::string_view id(std::size_t i) const {
    return arrays_.ids.empty() ? std::string_view() : arrays_.ids[i];
  }
  FaultTable title() const { return {"", header_, num_rows()}; }

  std::size_t add_column(std::string name) {
    header_.push_back(std::move(name));
    return header_.size() - 1;
  }

  Tally cell(std::size_t i, double value) const {
    return {.count = 1,
            .first_row = i,
            .first_text = fmt::format("{}", value),
            .first_id = printable(id(i))};
  }

  void look_at(std::size_t i, std::size_t column, double value) {
    if (number_problem(value) == nullptr) return;
    const Oddity oddity = std::isnan(value)       ? Oddity::kMissing
                          : !std::isfinite(value) ? Oddity::kNotFinite
                                                  : Oddity::kTooLarge;
    odd_.add(column, oddity, cell(i, value));
  }

  void take_given(Quantity quantity, const ArmArrays& arrays) {
    const std::size_t num_columns = arrays.table.cols();
    const std::string name = load::quantity_name(quantity);
    const bool is_second = quantity == Quantity::kPropensity && num_columns == 1;
    if (arrays.arms.empty() && arrays.is_given() && !(is_second && arms_.size() == 2) &&
        num_columns != arms_.size()) {
      faults_.add("given column", {{.column = name},
                                   fmt::format("has {} columns where the treatment has {} arms",
                                               num_columns, arms_.size()),
                                   "give one column per arm, the control arm first, or name the "
                                   "arm of every column"});
      return;
    }
    for (std::size_t k = 0; k < num_columns; ++k) {
      const std::string label =
          arrays.arms.empty() ? arms_[is_second ? 1 : k] : canonical_label(arrays.arms[k]);
      const std::string title = fmt::format("{}:{}", name, label);
      GivenColumn& column =
          given_.emplace_back(GivenColumn{{title, add_column(title), quantity, label, true}, {}});
      for (std::size_t i = 0; i < num_rows(); ++i) column.values.push_back(arrays.table(i, k));
      roles_.numbers.push_back(column.role);
    }
  }

  bool are_given_finite(std::size_t i) const {
    for (const GivenColumn& column : given_) {
      if (!std::isfinite(column.values[i])) return false;
    }
    return true;
  }

  double value_of(std::size_t i, std::size_t column) const {
    for (const GivenColumn& given : given_) {
      if (given.role.column == column) return given.values[i];
    }
    return 0;
  }

  const DatasetArrays& arrays_;
  FaultList& faults_;
  std::vector<std::string> header_;
  std::vector<std::string> names_;  ///< of the features
  ColumnRoles roles_;
  std::vector<std::size_t> kept_columns_;
  CellTallies odd_;
  std::vector<std::string> arms_;
  std::vector<Arm> treatment_;
  std::vector<bool> is_missing_;  ///< the treatment
  std::vector<GivenColumn> given_;
};

/// Numeric and count features as one matrix, stored as the file loaders store it.
FeatureTable join_features(const DatasetArrays& arrays, const SparseMatrix& counts,
                           std::vector<std::string> names) {
  const std::size_t num_numeric = arrays.numeric_features.cols();
  const bool has_counts = arrays.counts.is_given();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < arrays.outcome.size(); ++i) {
    for (std::size_t j = 0; j < num_numeric; ++j) {
      if (arrays.numeric_features(i, j) == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(arrays.numeric_features(i, j));
    }
    if (has_counts) {
      const SparseMatrix::Row row = counts.row(i);
      for (std::size_t k = 0; k < row.size(); ++k) {
        columns.push_back(row.columns[k] + static_cast<std::uint32_t>(num_numeric));
        values.push_back(row.values[k]);
      }
    }
    offsets.push_back(columns.size());
  }
  FeatureTable table;
  table.num_dense = num_numeric;
  table.matrix = store_full_columns_densely(
      SparseMatrix(names.size(), std::move(offsets), std::move(columns), std::move(values)),
      num_numeric);
  table.names = std::move(names);
  return table;
}

}  // namespace

LoadedData make_dataset(const Context& context, const DatasetArrays& arrays) {
  FaultList faults;
  load::check_lengths(arrays, faults);
  faults.throw_if_any(ErrorCode::kData);

  LoadedData data;
  Dataset& observed = data.observed;
  ArrayTable table(arrays, faults);
  observed.ids = load::take_ids(arrays, faults);
  table.set_names(load::take_names(arrays, faults));
  table.take_arms(data.notes);
  table.check_numbers();
  observed.cluster = table.take_clusters();
  table.report();
  load::check_weights("", "weight", arrays.weight, faults);
  load::check_clusters("", "cluster", observed.cluster, faults);
  SparseMatrix counts;
  if (arrays.counts.is_given()) counts = load::take_counts(arrays, faults);
  const std::vector<Edge> edges = load::take_edges(arrays, faults);
  faults.throw_if_any(ErrorCode::kData);

  observed.features = join_features(arrays, counts, std::move(table.names()));
  observed.outcome.assign(arrays.outcome.begin(), arrays.outcome.end());
  observed.weight.assign(arrays.weight.begin(), arrays.weight.end());
  observed.kept.assign(arrays.kept.begin(), arrays.kept.end());
  data.columns = table.columns();
  load::GivenTables given = table.given();
  observed.arms = std::move(table.arms());
  observed.treatment = std::move(table.treatment());
  observed.propensity = std::move(given.propensity);
  observed.mu = std::move(given.mu);
  if (given.truth) data.truth.emplace(std::move(*given.truth));
  load::check_sanity(context, "", data, faults);
  faults.throw_if_any(ErrorCode::kData);
  observed.graph = build_graph(context, observed.num_nodes(), edges, &data.edges);
  return data;
}

}  // namespace cone
