#include "data/sanity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/arm_labels.hpp"
#include "data/column_moments.hpp"
#include "data/leakage.hpp"
#include "data/look_alike.hpp"
#include "data/number.hpp"
#include "data/suspicions.hpp"

namespace cone::load {
namespace {

constexpr std::size_t kFewestNodes = 10;
constexpr double kNearlyOne = 0.9999;
constexpr double kCertainly = 1 - 1e-11;  ///< equal up to scale and shift
constexpr std::size_t kMostNamed = 8;     ///< columns in one note

/// Whether some column warrants a check over all nodes.
bool is_suspicious(const ColumnMoments& m) {
  constexpr double kSuspicious = 0.99;
  if (m.outcome_spread == 0 || !m.has_all_arms) return true;
  for (std::size_t j = 0; j < m.mean.size(); ++j) {
    if (m.is_constant(j) || std::max(m.with_outcome[j], m.with_treatment[j]) > kSuspicious) {
      return true;
    }
  }
  return false;
}

double value_at(const FeatureMatrix& matrix, std::size_t i, std::size_t j) {
  return matrix.row(i).at(static_cast<std::uint32_t>(j));
}

template <class Target>
bool equals(const Dataset& data, std::size_t column, const Target& target) {
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    if (value_at(data.features.matrix, i, column) != target(i)) return false;
  }
  return true;
}

std::string name_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kMostNamed); ++k) {
    text += (k > 0 ? ", " : "") + printable(names[k]);
  }
  return names.size() > kMostNamed ? fmt::format("{} and {} more", text, names.size() - kMostNamed)
                                   : text;
}

/// What --ignore takes: a category's indicators are called column=level.
std::string column_of(const std::string& feature) {
  return printable(feature.substr(0, feature.find('=')));
}

/// Where the table is and where its faults go.
struct Report {
  const std::string& table;  ///< empty for arrays
  FaultList& faults;

  /// How to exclude columns.
  std::string without(const std::string& columns) const {
    return table.empty() ? fmt::format("leave {} out", columns)
                         : fmt::format("--ignore {}", columns);
  }
};

/// The names of the columns with the true outcomes.
struct TruthNames {
  std::string all;     ///< "y0 and y1"
  std::string ignore;  ///< what --ignore takes
};

TruthNames truth_names(const Dataset& data) {
  if (has_plain_labels(data.arms)) return {"y0 and y1", "y0,y1"};
  return {"the columns y:LABEL", "'y:*'"};
}

/// With arms 0, 1 and 2, a column y2 is named like y0 and y1 with two arms: it may be the true
/// outcome rather than a feature.
void note_names_of_arms(const Report& report, LoadedData& data) {
  if (has_plain_labels(data.observed.arms)) return;
  for (const std::string& name : data.observed.features.names) {
    for (const std::string& arm : data.observed.arms) {
      const bool is_truth = name == "y" + arm;
      if (!is_truth && name != "mu" + arm) continue;
      data.warnings.push_back(fmt::format(
          "the feature {} is named like {} under arm '{}': if that is what it is, {} or rename it "
          "to {}:{}",
          printable(name), is_truth ? "the true outcome" : "an outcome model", printable(arm),
          report.without(column_of(name)), is_truth ? "y" : "mu", printable(arm)));
    }
  }
}

/// A missing treatment that was coded as a number becomes an arm.
void note_arms_that_are_codes(const Dataset& observed, std::vector<std::string>& warnings) {
  constexpr std::size_t kFewestArms = 3;
  constexpr std::array<std::string_view, 14> kGapLabels = {"-7",  "-8",   "-9",    "-77",    "-88",
                                                           "-99", "-999", "-9999", "-99999", "99",
                                                           "999", "9999", "99999", "999999"};
  if (observed.num_arms() < kFewestArms) return;
  const std::vector<std::size_t> sizes = observed.arm_sizes();
  for (std::size_t a = 0; a < observed.num_arms(); ++a) {
    if (std::ranges::find(kGapLabels, observed.arms[a]) == kGapLabels.end()) continue;
    warnings.push_back(
        fmt::format("arm '{}' ({} nodes) looks like a code for a missing treatment: if so, leave "
                    "the cells empty and use --missing indicate",
                    printable(observed.arms[a]), grouped(sizes[a])));
  }
}

void note_leakage(const Report& report, LoadedData& data, std::size_t column) {
  const std::string& name = data.observed.features.names[column];
  switch (find_leakage(data.observed, column)) {
    case Leakage::kNone:
      return;
    case Leakage::kOutcome:
      data.warnings.push_back(fmt::format(
          "the feature {} orders the nodes exactly as the outcome does, like a transformation or "
          "binning of the outcome: if it was measured after the treatment, {}",
          printable(name), report.without(column_of(name))));
      return;
    case Leakage::kTreatment:
      data.warnings.push_back(
          data.observed.num_arms() == 2
              ? fmt::format("the feature {} separates the two arms perfectly, so they do not "
                            "overlap in it; if it encodes the treatment, {}",
                            printable(name), report.without(column_of(name)))
              : fmt::format("the feature {} separates one arm from all others perfectly; if it "
                            "encodes the treatment, {}",
                            printable(name), report.without(column_of(name))));
      return;
  }
}

void check_leaks(const Report& report, LoadedData& data, const ColumnMoments& m) {
  const Dataset& observed = data.observed;
  for (std::size_t j = 0; j < observed.features.num_dense; ++j) {
    const std::string& name = observed.features.names[j];
    if (auto fault = find_leak(report.table, name, m, j)) {
      report.faults.add("leak", std::move(*fault));
    } else if (m.with_outcome[j] > kNearlyOne) {
      data.warnings.push_back(
          fmt::format("the feature {} predicts the outcome almost perfectly: if it was measured "
                      "after the treatment, {}",
                      printable(name), report.without(column_of(name))));
    } else {
      note_leakage(report, data, j);
    }
  }
}

/// Columns that would look constant, as the squares of their values underflow to 0.
void check_scales(const Report& report, const Dataset& observed, const ColumnMoments& m) {
  const auto check = [&](const std::string& name, std::span<const double> values) {
    if (!is_too_small(values)) return;
    report.faults.add("scale", {{.file = report.table, .column = printable(name)},
                                fmt::format("all values are smaller than {:g}: their squares "
                                            "underflow to 0",
                                            kSmallestMagnitude),
                                "rescale the column"});
  };
  check("outcome", observed.outcome);
  check("weight", observed.weight);
  for (const NamedColumn& column : observed.kept) check(column.name, column.values);
  for (std::size_t j = 0; j < observed.features.num_dense; ++j) {
    // The moments show the magnitude of most columns, without a pass over all nodes.
    if (std::abs(m.mean[j]) > kSmallestMagnitude || m.spread[j] > kSmallestMagnitude) continue;
    std::vector<double> values(observed.num_nodes());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = value_at(observed.features.matrix, i, j);
    }
    check(observed.features.names[j], values);
  }
}

/// As a percentage of its row, a single count is always 100.
void note_single_count(LoadedData& data) {
  const FeatureTable& features = data.observed.features;
  if (features.num_counts() != 1) return;
  data.warnings.push_back(
      fmt::format("{} is the only count feature: neural networks and kernels, which scale counts "
                  "to percentages "
                  "of their row, cannot distinguish its values; use it as a numeric feature",
                  printable(features.names.back())));
}

/// 1, 2, 3, ... or 0, 1, 2, ... in the order of the lines.
bool numbers_the_lines(const Dataset& data, std::size_t column) {
  const double first = value_at(data.features.matrix, 0, column);
  return (first == 0 || first == 1) &&
         equals(data, column, [&](std::size_t i) { return first + static_cast<double>(i); });
}

void note_useless_columns(const Report& report, LoadedData& data, const ColumnMoments& m) {
  const Dataset& observed = data.observed;
  std::vector<std::string> constant;
  std::vector<std::string> numbering;
  for (std::size_t j = 0; j < observed.features.num_dense; ++j) {
    if (m.is_constant(j)) {
      constant.push_back(observed.features.names[j]);
    } else if (observed.num_nodes() >= kFewestNodes && numbers_the_lines(observed, j)) {
      numbering.push_back(observed.features.names[j]);
    }
  }
  if (!constant.empty()) {
    data.notes.push_back(
        fmt::format("constant over all nodes, so without information: {}", name_list(constant)));
  }
  if (!numbering.empty()) {
    data.notes.push_back(
        report.table.empty()
            ? fmt::format("row numbers used as a feature: {}", name_list(numbering))
            : fmt::format("line numbers used as a feature: {0}; exclude them with --ignore, or use "
                          "them as ids with --id",
                          name_list(numbering)));
  }
}

/// Whether the true outcomes of the logged arms are closer to the observed outcomes than their mean
/// is: noise-free true outcomes are, columns that only share the names are not.
bool explains_outcome(const LoadedData& data) {
  const Dataset& observed = data.observed;
  double squares = 0;
  for (std::size_t i = 0; i < observed.num_nodes(); ++i) {
    const double own = data.truth->outcomes()(i, observed.treatment[i]);
    squares += (observed.outcome[i] - own) * (observed.outcome[i] - own);
  }
  return squares < static_cast<double>(observed.num_nodes()) * variance(observed.outcome, 0);
}

void check_truth(const Report& report, LoadedData& data) {
  if (!data.truth) return;
  const Dataset& observed = data.observed;
  std::size_t num_wrong = 0;
  std::size_t num_swapped = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < observed.num_nodes(); ++i) {
    const Arm arm = observed.treatment[i];
    const double own = data.truth->outcomes()(i, arm);
    const auto differs = [&](double y) {
      return std::abs(y - observed.outcome[i]) > 1e-9 * (1 + std::abs(observed.outcome[i]));
    };
    if (!differs(own)) continue;
    if (num_wrong++ == 0) first = i;
    const auto outcomes = data.truth->outcomes().row(i);
    num_swapped += std::all_of(outcomes.begin(), outcomes.end(), differs) ? 0 : 1;
  }
  if (num_wrong == 0) return;
  const TruthNames names = truth_names(observed);
  if (2 * num_swapped > observed.num_nodes()) {
    data.warnings.push_back(
        fmt::format("{} seem to be swapped: the outcome of most nodes is that of {} arm", names.all,
                    observed.num_arms() == 2 ? "the other" : "another"));
    return;
  }
  if (observed.num_nodes() >= kFewestNodes && !explains_outcome(data)) {
    report.faults.add(
        "truth", {{.file = report.table},
                  fmt::format("{} are read as the true outcomes of {} arms, but disagree with the "
                              "outcome of {} of {} nodes",
                              names.all, observed.num_arms() == 2 ? "both" : "all",
                              grouped(num_wrong), grouped(observed.num_nodes())),
                  "rename them if they are features, or " + report.without(names.ignore)});
    return;
  }
  data.warnings.push_back(fmt::format(
      "{}: the outcome of {} of {} nodes (first '{}') differs from the true outcome of its arm, so "
      "the true values shown may be wrong; if these are not true outcomes, {}",
      names.all, grouped(num_wrong), grouped(observed.num_nodes()),
      printable(observed.ids[static_cast<NodeIndex>(first)]), report.without(names.ignore)));
}

}  // namespace

std::optional<Fault> find_leak(const std::string& table, const std::string& name,
                               const ColumnMoments& m, std::size_t column) {
  const bool is_treatment = m.with_treatment[column] > kNearlyOne;
  if (!is_treatment && m.with_outcome[column] <= kCertainly) return std::nullopt;
  return Fault{
      {.file = table, .column = printable(name)},
      fmt::format("the feature is a copy of the {}", is_treatment ? "treatment" : "outcome"),
      table.empty() ? "leave it out"
                    : fmt::format("leave it out with --ignore {}", column_of(name))};
}

void check_sanity(const Context& context, const std::string& table, LoadedData& data,
                  FaultList& faults) {
  const Report report{table, faults};
  const Dataset& observed = data.observed;
  if (observed.num_nodes() == 0) {
    faults.add("rows", {{.file = table},
                        "every line has a missing value",
                        "exclude columns with many missing values (--ignore)"});
    return;
  }
  const std::vector<std::size_t> sizes = observed.arm_sizes();
  const auto empty = std::find(sizes.begin(), sizes.end(), 0U);
  if (empty != sizes.end()) {
    const std::string& label = observed.arms[static_cast<std::size_t>(empty - sizes.begin())];
    faults.add("arms", {{.file = table},
                        observed.num_arms() == 2
                            ? "the usable lines have only one arm"
                            : fmt::format("no usable line has arm '{}'", printable(label)),
                        "add nodes of every arm: an arm without observations cannot be evaluated"});
    return;
  }
  // A few thousand nodes show whether a check over all nodes is worth its time.
  constexpr std::size_t kSample = 4096;
  ColumnMoments moments =
      moments_of(context, observed, std::max<std::size_t>(1, observed.num_nodes() / kSample));
  if (moments.num_nodes < static_cast<double>(observed.num_nodes()) && is_suspicious(moments)) {
    moments = moments_of(context, observed, 1);
  }
  const std::uint64_t num_faults = faults.total();
  check_scales(report, observed, moments);
  if (faults.total() > num_faults) return;
  if (observed.num_nodes() >= kFewestNodes) {
    check_leaks(report, data, moments);
    if (moments.outcome_spread == 0) {
      data.notes.emplace_back("the outcome is the same for all nodes");
    }
  }
  note_useless_columns(report, data, moments);
  note_names_of_arms(report, data);
  note_arms_that_are_codes(observed, data.warnings);
  for (std::string& warning : describe_look_alikes(observed.arms)) {
    data.warnings.push_back(std::move(warning));
  }
  check_truth(report, data);
  note_single_count(data);
  note_suspicions(
      context, [&](const std::string& name) { return report.without(name); }, data);
}

}  // namespace cone::load
