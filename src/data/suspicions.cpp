#include "data/suspicions.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "data/column_copies.hpp"
#include "data/suspicious_numbers.hpp"

namespace cone::load {
namespace {

using LeaveOut = std::function<std::string(const std::string&)>;

/// Fewer nodes prove nothing.
constexpr std::size_t kFewestLookedAt = 30;

/// What --ignore takes: a category's indicators are called column=level.
std::string source_of(const std::string& feature) {
  return printable(feature.substr(0, feature.find('=')));
}

void note_twins(const Context& context, LoadedData& data) {
  const Dataset& observed = data.observed;
  const std::size_t n = observed.num_nodes();
  std::unordered_map<std::uint64_t, std::size_t> count;
  std::vector<std::uint64_t> hash(n);
  std::string bytes;
  const auto put = [&](double value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 4096 == 0) context.poll();
    bytes.clear();
    put(observed.outcome[i]);
    put(observed.treatment[i]);
    observed.features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
      put(column);
      put(value);
    });
    ++count[hash[i] = hash64(bytes)];
  }
  std::size_t with_twins = 0;
  std::unordered_set<double> outcomes;  // of the nodes without one
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t size = count[hash[i]];
    with_twins += size > 1 ? 1 : 0;
    if (size == 1) outcomes.insert(observed.outcome[i]);
  }
  // Where outcomes hardly ever repeat, lines that are the same in everything are no chance. Where
  // they do, about half of all groups of equal lines would have an odd number of them.
  constexpr std::size_t kFewestTwins = 10;
  constexpr std::size_t kFewestGroups = 20;
  const std::size_t alone = n - with_twins;
  const bool is_continuous = outcomes.size() * 10 >= alone * 9 && alone * 10 >= n;
  const auto num_odd = static_cast<std::size_t>(
      std::ranges::count_if(count, [](const auto& group) { return group.second % 2 == 1; }));
  const bool is_doubled = count.size() >= kFewestGroups && num_odd * 20 <= count.size();
  const bool is_suspect = is_doubled || (is_continuous && with_twins * 100 >= n);
  if (with_twins < kFewestTwins || !is_suspect) return;
  data.doubts.push_back(
      fmt::format("{} of {} nodes are the same as another one in everything but the id: if lines "
                  "were pasted twice, keep one of each; standard errors take them for different "
                  "people",
                  grouped(with_twins), grouped(n)));
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
    if (names[c].find("=(missing)") != std::string::npos) continue;  // gaps on the same lines
    data.notes.push_back(
        fmt::format("{} says the same as {}: the network ridge takes one of them, other methods "
                    "shrink two less than one; {}",
                    copy, first, leave_out(copy)));
  }
}

void note_columns(const Context& context, const LeaveOut& leave_out, LoadedData& data) {
  const FeatureTable& features = data.observed.features;
  Matrix<double> columns(data.observed.num_nodes(), features.num_dense);
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
      if (column < features.num_dense) columns(i, column) = value;
    });
  }
  for (std::size_t c = 0; c < columns.cols(); ++c) {
    context.poll();
    std::vector<double> values(columns.rows());
    for (std::size_t i = 0; i < columns.rows(); ++i) values[i] = columns(i, c);
    const std::string& name = features.names[c];
    if (auto words = describe_strange_value("the feature " + printable(name), values)) {
      data.doubts.push_back(std::move(*words));
    }
    if (looks_like_a_code(name, std::move(values))) {
      data.doubts.push_back(
          fmt::format("the feature {0} looks like a code, and is taken for a number, whose order "
                      "means something: {1}, or --categories {0} if its values are few",
                      printable(name), leave_out(printable(name))));
    }
  }
  note_copies(context, columns, leave_out, data);
}

}  // namespace

void note_suspicions(const Context& context, const LeaveOut& leave_out, LoadedData& data) {
  if (data.observed.num_nodes() < kFewestLookedAt) return;
  note_columns(context, leave_out, data);
  if (auto words = describe_strange_value("the outcome", data.observed.outcome)) {
    data.doubts.push_back(std::move(*words));
  } else if (auto tail = describe_tail(data.observed.outcome)) {
    data.doubts.push_back(std::move(*tail));
  }
  note_twins(context, data);
}

}  // namespace cone::load
