#include "network_ridge/groups.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cone/settings.hpp"

#include "base/numeric.hpp"
#include "base/text.hpp"
#include "ops/row_pieces.hpp"

namespace cone {
namespace {

std::string_view switch_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::kOwnWords:
    case GroupKind::kOwnColumns:
      return "own";
    case GroupKind::kOwnSmooth:
      return "smooth";
    case GroupKind::kOwnCurves:
      return "curves";
    case GroupKind::kSumWords:
    case GroupKind::kSumColumns:
      return "sums";
    case GroupKind::kSumFriends:
      return "friends";
    case GroupKind::kMeanWords:
    case GroupKind::kMeanColumns:
      return "means";
    case GroupKind::kMeanFriends:
      return "mean_friends";
  }
  return "";
}

/// ‖Σ_j x_j‖² over the neighbours of every place, for words and for columns.
struct NeighbourLengths {
  std::vector<double> words;
  std::vector<double> columns;
};

NeighbourLengths measure_neighbours(const Context& context, const RidgeInputs& inputs) {
  const std::size_t n = inputs.num_nodes();
  NeighbourLengths out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  constexpr std::size_t kPiece = 1024;
  context.for_each_range(n, kPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<double> words(inputs.words.cols(), 0.0);
    std::vector<double> columns(inputs.columns.cols());
    for (std::size_t p = begin; p < end; ++p) {
      context.poll();
      std::ranges::fill(columns, 0.0);
      double squares = 0;
      const auto neighbours = inputs.graph.neighbours(static_cast<NodeIndex>(p));
      for (const NodeIndex j : neighbours) {
        const SparseMatrix::Row row = inputs.words.row(j);
        for (std::size_t k = 0; k < row.size(); ++k) {
          double& total = words[row.columns[k]];
          squares += row.values[k] * (2 * total + row.values[k]);
          total += row.values[k];
        }
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c] += inputs.columns(j, c);
      }
      for (const NodeIndex j : neighbours) {
        for (const std::uint32_t c : inputs.words.row(j).columns) words[c] = 0;
      }
      out.words[p] = squares;
      out.columns[p] = dot(columns, columns);
    }
  });
  return out;
}

}  // namespace

void NetworkRidgeOptions::check(std::vector<Fault>& faults) const {
  const std::vector<std::string> known(kGroupSwitches.begin(), kGroupSwitches.end());
  for (const std::string& name : ridge_groups) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = closest_name(name, known);
    faults.push_back({{.item = "--ridge-groups"},
                      fmt::format("there is no group '{}'", printable(name)),
                      nearest.empty() ? fmt::format("choose from {}", fmt::join(known, ", "))
                                      : fmt::format("did you mean {}?", nearest)});
  }
}

bool asks_for(std::span<const std::string> switches, GroupKind kind) {
  return switches.empty() ||
         std::find(switches.begin(), switches.end(), switch_of(kind)) != switches.end();
}

std::vector<RidgeGroup> list_groups(const Context& context, const RidgeInputs& inputs,
                                    std::span<const std::string> switches) {
  const auto n = static_cast<double>(inputs.num_nodes());
  NeighbourLengths lengths;
  if (inputs.has_edges()) lengths = measure_neighbours(context, inputs);
  const auto mean_scaled = [&](const std::vector<double>& values, bool averages) {
    CompensatedSum total;
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double factor = averages ? inputs.inverse_degree[p] * inputs.inverse_degree[p] : 1;
      total.add(factor * values[p]);
    }
    return total.value() / n;
  };
  const auto scale_of = [&](GroupKind kind) {
    switch (kind) {
      case GroupKind::kOwnWords: {
        double filled = 0;
        for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
          filled += inputs.words.row(p).size() > 0 ? 1 : 0;
        }
        return filled / n;
      }
      case GroupKind::kOwnColumns:
        return static_cast<double>(inputs.columns.cols());
      case GroupKind::kOwnSmooth:
        return inputs.smooth.cols() > 0 ? 1.0 : 0.0;
      case GroupKind::kOwnCurves: {
        CompensatedSum squares;
        for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
          squares.add(dot(inputs.curves.row(p), inputs.curves.row(p)));
        }
        return squares.value() / n;
      }
      case GroupKind::kSumWords:
        return mean_scaled(lengths.words, /*averages=*/false);
      case GroupKind::kSumColumns:
        return mean_scaled(lengths.columns, /*averages=*/false);
      case GroupKind::kSumFriends:
        return mean_scaled(inputs.degree, /*averages=*/false);
      case GroupKind::kMeanWords:
        return mean_scaled(lengths.words, /*averages=*/true);
      case GroupKind::kMeanColumns:
        return mean_scaled(lengths.columns, /*averages=*/true);
      case GroupKind::kMeanFriends:
        return mean_scaled(inputs.degree, /*averages=*/true);
    }
    return 0.0;
  };
  std::vector<RidgeGroup> groups;
  for (const auto& [kind, name] : EnumNames<GroupKind>::kNames) {
    if (!asks_for(switches, kind)) continue;
    const double scale = scale_of(kind);
    if (scale > 0) groups.push_back({kind, scale});
  }
  return groups;
}

}  // namespace cone
