#include "network_ridge/kernel_diagonal.hpp"

#include "base/numeric.hpp"

namespace cone {

KernelDiagonal find_kernel_diagonal(const ArmEquations& equations,
                                    const GroupStrengths& strengths) {
  const RidgeInputs& inputs = equations.inputs();
  const std::size_t size = equations.num_positions();
  const std::size_t first = equations.first_position();
  const bool sums_features = strengths[GroupKind::kNeighbourSumsCounts] > 0 ||
                             strengths[GroupKind::kNeighbourMeansCounts] > 0 ||
                             strengths[GroupKind::kNeighbourSumsNumeric] > 0 ||
                             strengths[GroupKind::kNeighbourMeansNumeric] > 0;
  const NeighbourNorms& norms = inputs.neighbour_norms;
  KernelDiagonal out{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
  std::vector<double>& by_counts =
      equations.num_counts() >= equations.num_positions_of_all() ? out.spread : out.narrow;
  for (std::size_t row = 0; row < size; ++row) {
    const std::size_t position = first + row;
    const double inverse = inputs.inverse_degree[position];
    out.spread[row] += (strengths[GroupKind::kNeighbourEffects] +
                        strengths[GroupKind::kMeanNeighbourEffects] * inverse * inverse) *
                       inputs.degree[position];
    if (inputs.counts.row(position).size() > 0) by_counts[row] += strengths[GroupKind::kOwnCounts];
    const auto add_own = [&](GroupKind kind, const Matrix<double>& table) {
      if (strengths[kind] == 0) return;
      out.narrow[row] += strengths[kind] * dot(table.row(position), table.row(position));
    };
    add_own(GroupKind::kOwnNumeric, inputs.numeric);
    add_own(GroupKind::kOwnSmooth, inputs.smooth);
    add_own(GroupKind::kOwnCurves, inputs.curves);
    for (const GroupKind kind : kCommunityKinds) {
      if (inputs.communities.of(kind, position)) out.narrow[row] += strengths[kind];
    }
    if (!sums_features) continue;
    by_counts[row] += (strengths[GroupKind::kNeighbourSumsCounts] +
                       strengths[GroupKind::kNeighbourMeansCounts] * inverse * inverse) *
                      norms.counts[position];
    out.narrow[row] += (strengths[GroupKind::kNeighbourSumsNumeric] +
                        strengths[GroupKind::kNeighbourMeansNumeric] * inverse * inverse) *
                       norms.numeric[position];
  }
  return out;
}

}  // namespace cone
