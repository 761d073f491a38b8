#include "joint_model/prediction_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "exec/statistics.hpp"
#include "network_ridge/kernel_products.hpp"

namespace cone {
namespace {

/// Of the standard deviation of the outcomes: smaller parts of a prediction have no slope.
constexpr double kLeastPart = 0.03;

/// Groups of effects whose contributions to a prediction have their own slopes.
constexpr std::array<std::array<GroupKind, 3>, 5> kParts = {{
    {GroupKind::kOwnCounts, GroupKind::kOwnNumeric, GroupKind::kOwnCurves},
    {GroupKind::kNeighbourSumsCounts, GroupKind::kNeighbourSumsNumeric,
     GroupKind::kNeighbourEffects},
    {GroupKind::kNeighbourMeansCounts, GroupKind::kNeighbourMeansNumeric,
     GroupKind::kMeanNeighbourEffects},
    {GroupKind::kOwnSmooth, GroupKind::kOwnSmooth, GroupKind::kOwnSmooth},
    {GroupKind::kCommunitiesCoarse, GroupKind::kCommunities, GroupKind::kCommunitiesFine},
}};

/// The contribution of the groups that `is_kept` chooses; none where none has a variance.
template <class IsKept>
std::optional<std::vector<double>> predict_part(const Context& context, const NetworkRidge& ridge,
                                                const RidgeSolution& solution, std::size_t arm,
                                                const IsKept& is_kept) {
  RidgeSystem masked = ridge.parts.front()->system;
  bool has_any = false;
  for (std::size_t g = 0; g < masked.groups.size(); ++g) {
    double& variance = masked.arms[arm].group_variances[g];
    if (!is_kept(masked.groups[g].kind)) variance = 0;
    has_any = has_any || variance > 0;
  }
  if (!has_any) return std::nullopt;
  const Matrix<double> own = take_arm_rows(*ridge.inputs, solution.x, arm);
  return take_held_out(ridge, multiply_kernel(context, masked, arm, own));
}

}  // namespace

bool is_network_group(GroupKind kind) { return !enum_name(kind).starts_with("own_"); }

std::vector<double> take_held_out(const NetworkRidge& ridge, const Matrix<double>& predicted) {
  std::vector<double> out(predicted.rows(), 0.0);
  for (std::size_t t = 0; t < ridge.scored_positions.size(); ++t) {
    for (const std::uint32_t p : ridge.scored_positions[t]) out[p] = predicted(p, t);
  }
  return out;
}

std::optional<std::vector<double>> predict_network_part(const Context& context,
                                                        const NetworkRidge& ridge,
                                                        const RidgeSolution& solution,
                                                        std::size_t arm) {
  return predict_part(context, ridge, solution, arm, is_network_group);
}

Matrix<double> split_prediction(const Context& context, const NetworkRidge& ridge,
                                const RidgeSolution& solution, std::size_t arm) {
  std::vector<std::vector<double>> kept;
  for (const auto& kinds : kParts) {
    auto of_part = predict_part(context, ridge, solution, arm, [&](GroupKind kind) {
      return std::ranges::find(kinds, kind) != kinds.end();
    });
    if (!of_part || std::sqrt(variance(*of_part, 0, context.comm())) < kLeastPart) continue;
    kept.push_back(std::move(*of_part));
  }
  Matrix<double> out(ridge.inputs->num_nodes(), kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    for (std::size_t p = 0; p < out.rows(); ++p) out(p, k) = kept[k][p];
  }
  return out;
}

}  // namespace cone
