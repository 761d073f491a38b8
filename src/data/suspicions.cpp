#include "data/suspicions.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/hash.hpp"
#include "data/column_copies.hpp"
#include "data/panel_codes.hpp"
#include "data/suspicious_numbers.hpp"

namespace cone::load {
namespace {

using LeaveOut = std::function<std::string(const std::string&)>;

/// Fewer nodes are no evidence.
constexpr std::size_t kFewestChecked = 30;

/// What --ignore takes: a category's indicators are called column=level.
std::string source_of(const std::string& feature) {
  return printable(feature.substr(0, feature.find('=')));
}

/// A hash per node, equal for nodes that are equal in everything but the id.
std::vector<std::uint64_t> hash_nodes(const Context& context, const Dataset& observed) {
  constexpr std::size_t kNodesPerPiece = 4096;
  std::vector<std::uint64_t> hash(observed.num_nodes());
  context.for_each_range(hash.size(), kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    std::string bytes;
    const auto put = [&](double value) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      bytes.append(raw, sizeof value);
    };
    for (std::size_t i = begin; i < end; ++i) {
      bytes.clear();
      put(observed.outcome[i]);
      put(observed.treatment[i]);
      observed.features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
        put(column);
        put(value);
      });
      hash[i] = hash64(bytes);
    }
  });
  return hash;
}

/// How many copies of a whole table may have been concatenated; 4 and 6 are multiples of these.
constexpr std::array<std::size_t, 4> kNumCopies = {2, 3, 5, 7};

/// Groups of equal nodes; a node without a duplicate is its own group.
struct DuplicateGroups {
  std::size_t num_groups = 0;
  std::size_t num_duplicated = 0;  ///< nodes in groups of two and more
  /// By number of copies: groups whose size is not a multiple of it.
  std::array<std::size_t, kNumCopies.size()> num_broken = {};
};

DuplicateGroups count_groups(std::span<const std::uint64_t> sorted) {
  DuplicateGroups out;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    ++out.num_groups;
    for (std::size_t k = 0; k < kNumCopies.size(); ++k) {
      out.num_broken[k] += (end - begin) % kNumCopies[k] != 0 ? 1 : 0;
    }
    if (end - begin > 1) out.num_duplicated += end - begin;
    begin = end;
  }
  return out;
}

/// The number of distinct outcomes.
std::size_t count_outcomes(std::vector<double> outcome) {
  std::sort(outcome.begin(), outcome.end());
  return static_cast<std::size_t>(std::unique(outcome.begin(), outcome.end()) - outcome.begin());
}

void note_duplicates(const Context& context, LoadedData& data) {
  const Dataset& observed = data.observed;
  const std::size_t n = observed.num_nodes();
  std::vector<std::uint64_t> hash = hash_nodes(context, observed);
  std::ranges::sort(hash);
  const DuplicateGroups groups = count_groups(hash);
  constexpr std::size_t kFewestDuplicates = 10;
  if (groups.num_duplicated < kFewestDuplicates) return;
  // Where different lines rarely have the same outcome, lines that are equal in everything are not
  // a coincidence. Where they often do, only copies of the whole table give the sizes of the groups
  // of equal lines a common factor.
  constexpr std::size_t kFewestGroups = 20;
  const bool is_continuous = count_outcomes(observed.outcome) * 10 >= groups.num_groups * 9;
  const bool was_copied = groups.num_groups >= kFewestGroups &&
                          std::ranges::min(groups.num_broken) * 20 <= groups.num_groups;
  if (!was_copied && !(is_continuous && groups.num_duplicated * 100 >= n)) return;
  data.warnings.push_back(
      fmt::format("{} of {} nodes equal another node in everything but the id: if lines were "
                  "duplicated by mistake, keep one of each; standard errors treat them as "
                  "independent units",
                  grouped(groups.num_duplicated), grouped(n)));
}

void note_copies(const Context& context, const Matrix<double>& columns, const LeaveOut& leave_out,
                 LoadedData& data) {
  const std::vector<std::string>& names = data.observed.features.names;
  const auto copied = find_copies(context, columns);
  for (std::size_t c = 0; c < copied.size(); ++c) {
    if (!copied[c]) continue;
    const std::string copy = source_of(names[c]);
    const std::string first = source_of(names[*copied[c]]);
    if (copy == first) continue;  // the two levels of one category
    if (names[c].find("=(missing)") != std::string::npos) continue;  // missing on the same lines
    data.notes.push_back(
        fmt::format("{} is a copy of {} up to scale and shift: the network ridge uses one of them, "
                    "other methods shrink the pair less than a single column; {}",
                    copy, first, leave_out(copy)));
  }
}

/// All numeric features, one row per node.
Matrix<double> take_numeric_features(const Context& context, const FeatureTable& features) {
  constexpr std::size_t kNodesPerPiece = 4096;
  auto out = Matrix<double>::unfilled(features.matrix.rows(), features.num_dense);
  context.for_each_range(out.rows(), kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::fill(out.row(i), 0.0);
      features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
        if (column < features.num_dense) out(i, column) = value;
      });
    }
  });
  return out;
}

/// Warnings about single columns, in their order.
std::vector<std::string> check_columns(const Context& context, const Matrix<double>& columns,
                                       std::span<const std::string> names,
                                       const LeaveOut& leave_out, bool has_clusters) {
  std::vector<std::optional<std::uint64_t>> units(columns.cols());
  if (!has_clusters) units = find_unit_codes(context, columns, names);
  std::vector<std::vector<std::string>> found(columns.cols());
  context.for_each_range(columns.cols(), 1, [&](std::size_t c, std::size_t) {
    std::vector<double> values(columns.rows());
    for (std::size_t i = 0; i < columns.rows(); ++i) values[i] = columns(i, c);
    const std::string name = printable(names[c]);
    if (auto warning = describe_strange_value("the feature " + name, values)) {
      found[c].push_back(std::move(*warning));
    }
    if (units[c]) {
      found[c].push_back(describe_unit_codes(name, *units[c], columns.rows(), leave_out(name)));
    } else if (looks_like_a_code(names[c], std::move(values))) {
      found[c].push_back(
          fmt::format("the feature {0} looks like a code but is used as a number, as if its order "
                      "had a meaning: {1}, or --categories {0} if it has few values",
                      name, leave_out(name)));
    }
  });
  std::vector<std::string> out;
  for (std::vector<std::string>& warnings : found) {
    std::ranges::move(warnings, std::back_inserter(out));
  }
  return out;
}

void note_columns(const Context& context, const LeaveOut& leave_out, LoadedData& data) {
  const FeatureTable& features = data.observed.features;
  const Matrix<double> columns = take_numeric_features(context, features);
  for (std::string& warning :
       check_columns(context, columns, features.names, leave_out, !data.observed.cluster.empty())) {
    data.warnings.push_back(std::move(warning));
  }
  note_copies(context, columns, leave_out, data);
}

}  // namespace

void note_suspicions(const Context& context, const LeaveOut& leave_out, LoadedData& data) {
  if (data.observed.num_nodes() < kFewestChecked) return;
  note_columns(context, leave_out, data);
  if (auto warning = describe_strange_value("the outcome", data.observed.outcome)) {
    data.warnings.push_back(std::move(*warning));
  } else if (auto tail = describe_tail(data.observed.outcome)) {
    data.warnings.push_back(std::move(*tail));
  }
  note_duplicates(context, data);
}

}  // namespace cone::load
