#include "data/sanity.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "base/text.hpp"
#include "data/arm_labels.hpp"
#include "data/number.hpp"
#include "data/telltale.hpp"

namespace cone::load {
namespace {

constexpr std::size_t kFewestNodes = 10;
constexpr double kNearlyOne = 0.9999;
constexpr double kCertainly = 1 - 1e-11;  ///< the same up to its unit and its zero
constexpr std::size_t kMostNamed = 8;     ///< columns in one note

/// How the measurements relate to outcome and treatment.
struct ColumnMoments {
  double num_nodes = 0;
  double outcome_spread = 0;                         ///< sum of squares about the mean
  bool has_all_arms = true;                          ///< of the nodes looked at
  std::vector<double> mean, spread;                  ///< one per column
  std::vector<double> with_outcome, with_treatment;  ///< absolute correlations, the largest

  bool is_constant(std::size_t j) const {
    return spread[j] <= 1e-24 * mean[j] * mean[j] * num_nodes;
  }
};

/// Σ over pieces of per-column sums, piece by piece, so that threads change nothing.
template <class Add>
std::vector<double> sum_by_column(const Context& context, const FeatureTable& features,
                                  std::size_t stride, std::size_t width, const Add& add) {
  const std::size_t num_rows = (features.matrix.rows() + stride - 1) / stride;
  constexpr std::size_t kMostPieces = 16;
  const std::size_t grain = std::max<std::size_t>(4096, (num_rows + kMostPieces - 1) / kMostPieces);
  const std::size_t size = features.num_dense * width;
  auto pieces = context.map_ranges<std::vector<double>>(
      num_rows, grain, [&](std::size_t begin, std::size_t end) {
        std::vector<double> sums(size, 0.0);
        for (std::size_t i = begin * stride; i < end * stride; i += stride) {
          if (i >= features.matrix.rows()) break;
          features.matrix.row(i).for_each([&](std::uint32_t j, double value) {
            if (j < features.num_dense) add(i, j, value, sums.data() + j * width);
          });
        }
        return sums;
      });
  std::vector<double> total(size, 0.0);
  for (const std::vector<double>& piece : pieces) {
    for (std::size_t j = 0; j < size; ++j) total[j] += piece[j];
  }
  return total;
}

/// What a feature that is the treatment equals: belonging to an arm, or the number of the label.
/// Two arms are one indicator.
class TreatmentTargets {
 public:
  explicit TreatmentTargets(const Dataset& data) : data_(data) {
    if (data.num_arms() == 2) return;
    for (const std::string& label : data.arms) {
      const ParsedNumber number = parse_number(label);
      if (number.kind == NumberKind::kFinite) doses_.push_back(number.value);
    }
    num_indicators_ = data.num_arms();
  }

  std::size_t size() const { return num_indicators_ + (has_doses() ? 1 : 0); }
  double at(std::size_t target, std::size_t node) const {
    const Arm arm = data_.treatment[node];
    if (target == num_indicators_) return doses_[arm];
    return num_indicators_ == 1 ? arm : static_cast<double>(arm == target);
  }

 private:
  bool has_doses() const { return doses_.size() == data_.num_arms(); }

  const Dataset& data_;
  std::size_t num_indicators_ = 1;
  std::vector<double> doses_;
};

/// Centred sums over every `stride`-th node. A zero that is not stored adds (0 − mean)², and −mean
/// times what the others lack: Σ(y − ȳ) over all these nodes is zero.
ColumnMoments moments_of(const Context& context, const Dataset& data, std::size_t stride) {
  const TreatmentTargets targets(data);
  double n = 0;
  double outcome_mean = 0;
  std::vector<double> target_mean(targets.size(), 0.0);
  for (std::size_t i = 0; i < data.num_nodes(); i += stride) {
    n += 1;
    outcome_mean += data.outcome[i];
    for (std::size_t t = 0; t < targets.size(); ++t) target_mean[t] += targets.at(t, i);
  }
  outcome_mean /= n;
  for (double& total : target_mean) total /= n;
  ColumnMoments m;
  m.num_nodes = n;
  std::vector<double> target_spread(targets.size(), 0.0);
  for (std::size_t i = 0; i < data.num_nodes(); i += stride) {
    m.outcome_spread += (data.outcome[i] - outcome_mean) * (data.outcome[i] - outcome_mean);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const double centred = targets.at(t, i) - target_mean[t];
      target_spread[t] += centred * centred;
    }
  }
  for (const double spread : target_spread) m.has_all_arms = m.has_all_arms && spread > 0;
  m.mean = sum_by_column(context, data.features, stride, 1,
                         [](std::size_t, std::size_t, double x, double* sum) { *sum += x; });
  for (double& sum : m.mean) sum /= n;
  const std::size_t num_sums = 4 + 2 * targets.size();
  const std::vector<double> sums =
      sum_by_column(context, data.features, stride, num_sums,
                    [&](std::size_t i, std::size_t j, double x, double* sum) {
                      const double y = data.outcome[i] - outcome_mean;
                      const double centred = x - m.mean[j];
                      sum[0] += 1;
                      sum[1] += centred * centred;
                      sum[2] += centred * y;
                      sum[3] += y;
                      for (std::size_t t = 0; t < targets.size(); ++t) {
                        const double difference = targets.at(t, i) - target_mean[t];
                        sum[4 + 2 * t] += centred * difference;
                        sum[5 + 2 * t] += difference;
                      }
                    });
  for (std::size_t j = 0; j < data.features.num_dense; ++j) {
    const double* sum = sums.data() + num_sums * j;
    m.spread.push_back(sum[1] + (n - sum[0]) * m.mean[j] * m.mean[j]);
    const auto correlation = [&](double product, double spread) {
      const double scale = std::sqrt(m.spread[j] * spread);
      return scale > 0 ? std::abs(product) / scale : 0.0;
    };
    m.with_outcome.push_back(correlation(sum[2] + m.mean[j] * sum[3], m.outcome_spread));
    double largest = 0;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      largest = std::max(
          largest, correlation(sum[4 + 2 * t] + m.mean[j] * sum[5 + 2 * t], target_spread[t]));
    }
    m.with_treatment.push_back(largest);
  }
  return m;
}

/// Whether some column deserves a look at all nodes.
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

  /// How to do without columns.
  std::string without(const std::string& columns) const {
    return table.empty() ? fmt::format("leave {} out", columns)
                         : fmt::format("--ignore {}", columns);
  }
};

void refuse_feature(const Report& report, const std::string& name, const char* what) {
  report.faults.add(
      what, {{.file = report.table, .column = printable(name)},
             fmt::format("the feature is the {} itself", what),
             report.table.empty() ? "leave it out"
                                  : fmt::format("--ignore {} leaves it out", column_of(name))});
}

/// How the columns of the true outcomes are called.
struct TruthNames {
  std::string all;     ///< "y0 and y1"
  std::string ignore;  ///< what --ignore takes
};

TruthNames truth_names(const Dataset& data) {
  if (has_plain_labels(data.arms)) return {"y0 and y1", "y0,y1"};
  return {"the columns y:LABEL", "'y:*'"};
}

void note_telltale(const Report& report, LoadedData& data, std::size_t column) {
  const std::string& name = data.observed.features.names[column];
  switch (find_telltale(data.observed, column)) {
    case Telltale::kNothing:
      return;
    case Telltale::kOutcome:
      data.doubts.push_back(fmt::format(
          "the feature {} puts the nodes in the order of the outcome, as its logarithm, "
          "its rank or a class of it does: if it was measured after the treatment, "
          "{}",
          printable(name), report.without(column_of(name))));
      return;
    case Telltale::kTreatment:
      data.doubts.push_back(
          data.observed.num_arms() == 2
              ? fmt::format("the feature {} tells the two arms apart without a mistake: no node of "
                            "one arm is like any of the other in it; if it says the treatment in "
                            "other words, {}",
                            printable(name), report.without(column_of(name)))
              : fmt::format("the feature {} tells one arm from all others without a mistake; if it "
                            "says the treatment in other words, {}",
                            printable(name), report.without(column_of(name))));
      return;
  }
}

void check_leaks(const Report& report, LoadedData& data, const ColumnMoments& m) {
  const Dataset& observed = data.observed;
  for (std::size_t j = 0; j < observed.features.num_dense; ++j) {
    const std::string& name = observed.features.names[j];
    if (m.with_treatment[j] > kNearlyOne) {
      refuse_feature(report, name, "treatment");
    } else if (m.with_outcome[j] > kNearlyOne) {
      if (m.with_outcome[j] > kCertainly) {
        refuse_feature(report, name, "outcome");
      } else {
        data.doubts.push_back(
            fmt::format("the feature {} says the outcome nearly exactly: if it "
                        "was measured after the treatment, {}",
                        printable(name), report.without(column_of(name))));
      }
    } else {
      note_telltale(report, data, j);
    }
  }
}

/// The per cent of a row that has one entry is always 100.
void note_single_count(LoadedData& data) {
  const FeatureTable& features = data.observed.features;
  if (features.num_counts() != 1) return;
  data.doubts.push_back(fmt::format(
      "there is a single column of counts, {}: networks and kernels, which see counts as the per "
      "cent of their row, cannot tell its values apart; leave it among the measurements",
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
        fmt::format("the same for all nodes, so of no use: {}", name_list(constant)));
  }
  if (!numbering.empty()) {
    data.notes.push_back(
        report.table.empty()
            ? fmt::format("numbers the rows and is taken for a feature: {}", name_list(numbering))
            : fmt::format("numbers the lines and is taken for a feature: {0}; --ignore "
                          "leaves it out, --id takes it for the ids",
                          name_list(numbering)));
  }
}

/// Whether the outcomes of their own arm come closer to the log than its mean: true outcomes
/// without their noise do, columns that only share the names do not.
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
    data.doubts.push_back(
        fmt::format("{} seem to be exchanged: the outcome of most nodes is that of {} arm",
                    names.all, observed.num_arms() == 2 ? "the other" : "another"));
    return;
  }
  if (observed.num_nodes() >= kFewestNodes && !explains_outcome(data)) {
    report.faults.add(
        "truth", {{.file = report.table},
                  fmt::format("{} are taken for the true outcomes of {} arms, but the outcome of "
                              "{} of {} nodes is another",
                              names.all, observed.num_arms() == 2 ? "both" : "all",
                              grouped(num_wrong), grouped(observed.num_nodes())),
                  "rename them where they are features, or " + report.without(names.ignore)});
    return;
  }
  data.doubts.push_back(fmt::format(
      "{}: the outcome of {} of {} nodes (first '{}') is not the one of its own arm; what is "
      "shown as the truth may not be it ({})",
      names.all, grouped(num_wrong), grouped(observed.num_nodes()),
      printable(observed.ids[static_cast<NodeIndex>(first)]), report.without(names.ignore)));
}

}  // namespace

void check_sanity(const Context& context, const std::string& table, LoadedData& data,
                  FaultList& faults) {
  const Report report{table, faults};
  const Dataset& observed = data.observed;
  if (observed.num_nodes() == 0) {
    faults.add(
        "rows",
        {{.file = table}, "every line lacks a value", "--ignore columns with many missing values"});
    return;
  }
  const std::vector<std::size_t> sizes = observed.arm_sizes();
  const auto empty = std::find(sizes.begin(), sizes.end(), 0U);
  if (empty != sizes.end()) {
    const std::string& label = observed.arms[static_cast<std::size_t>(empty - sizes.begin())];
    faults.add("arms", {{.file = table},
                        observed.num_arms() == 2
                            ? "only one arm is left of the lines that can be used"
                            : fmt::format("no node of arm '{}' is left of the lines that can be "
                                          "used",
                                          printable(label)),
                        "nothing can be said about an arm that was never tried"});
    return;
  }
  // A few thousand nodes tell whether a closer look is worth its time.
  constexpr std::size_t kSample = 4096;
  ColumnMoments moments =
      moments_of(context, observed, std::max<std::size_t>(1, observed.num_nodes() / kSample));
  if (moments.num_nodes < static_cast<double>(observed.num_nodes()) && is_suspicious(moments)) {
    moments = moments_of(context, observed, 1);
  }
  if (observed.num_nodes() >= kFewestNodes) {
    check_leaks(report, data, moments);
    if (moments.outcome_spread == 0) {
      data.notes.emplace_back("the outcome is the same for all nodes");
    }
  }
  note_useless_columns(report, data, moments);
  check_truth(report, data);
  note_single_count(data);
}

}  // namespace cone::load
