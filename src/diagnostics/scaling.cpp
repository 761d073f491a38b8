#include "diagnostics/scaling.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cone/options.hpp"
#include "cone/text.hpp"

#include "data/column_units.hpp"

namespace cone {

std::vector<ScalingDiagnostics> describe_scaling(const FeatureTable& features,
                                                 std::span<const EstimatorInfo> rows,
                                                 const NuisanceOptions& options) {
  const auto any_needs = [&](std::initializer_list<LearnerId> learners) {
    return std::any_of(rows.begin(), rows.end(), [&](const EstimatorInfo& row) {
      return std::any_of(learners.begin(), learners.end(),
                         [&](LearnerId learner) { return row.needs(learner); });
    });
  };
  std::vector<ScalingDiagnostics> out;
  const auto add = [&](const char* learners, std::string_view dense, std::string_view counts) {
    ScalingDiagnostics& entry = out.emplace_back();
    entry.learners = learners;
    if (features.num_dense > 0) entry.dense = dense;
    if (features.num_counts() > 0) entry.counts = counts;
  };
  if (any_needs({LearnerId::kCone, LearnerId::kNetworks, LearnerId::kKernel})) {
    add("networks and kernels", "standardised", "row_percent");
  }
  if (any_needs({LearnerId::kNetworkRidge})) {
    add("network ridge", "standardised", "unit_rows_of_roots");
  }
  if (any_needs(
          {LearnerId::kRidge, LearnerId::kLogistic, LearnerId::kCohesion, LearnerId::kSpectral})) {
    const std::string_view scaling = enum_name(options.feature_scaling);
    add("ridge and logistic regression", scaling, scaling);
  }
  if (any_needs({LearnerId::kOls1, LearnerId::kOls2})) {
    add("least squares", "unit_variance", "common_factor");
  }
  return out;
}

std::vector<std::string> warn_of_rounding_columns(const FeatureTable& features,
                                                  const Communicator& comm) {
  const std::vector<ColumnUnit> units = measure_columns(features, comm);
  std::size_t count = 0;
  std::string first;
  for (std::size_t j = 0; j < units.size(); ++j) {
    if (!units[j].differs_by_rounding_only) continue;
    if (count++ == 0) first = printable(features.names[j]);
  }
  if (count == 0) return {};
  return {
      fmt::format("the values of feature '{}'{} differ by rounding only: treated as constant and "
                  "left out; subtract their common offset if the differences are meaningful",
                  first, count > 1 ? fmt::format(" and of {} others", count - 1) : "")};
}

}  // namespace cone
