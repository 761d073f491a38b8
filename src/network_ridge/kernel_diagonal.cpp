#include "network_ridge/kernel_diagonal.hpp"

#include "base/numeric.hpp"

namespace cone {

KernelDiagonal find_kernel_diagonal(const Context& context, const ArmEquations& equations,
                                    const GroupStrengths& strengths) {
  const EquationTables& tables = equations.tables();
  const std::size_t size = equations.num_places();
  const std::size_t first = equations.first_place();
  const bool sums_features =
      strengths[GroupKind::kSumWords] > 0 || strengths[GroupKind::kMeanWords] > 0 ||
      strengths[GroupKind::kSumColumns] > 0 || strengths[GroupKind::kMeanColumns] > 0;
  NeighbourLengths lengths;
  if (sums_features) lengths = equations.source().measure_lengths(context);
  KernelDiagonal out{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
  std::vector<double>& by_words =
      equations.num_words() >= equations.num_places_of_all() ? out.spread : out.narrow;
  for (std::size_t row = 0; row < size; ++row) {
    const std::size_t place = first + row;
    const double inverse = tables.inverse_degree[place];
    out.spread[row] += (strengths[GroupKind::kSumFriends] +
                        strengths[GroupKind::kMeanFriends] * inverse * inverse) *
                       tables.degree[place];
    if (tables.words->row(place).size() > 0) by_words[row] += strengths[GroupKind::kOwnWords];
    const auto add_own = [&](GroupKind kind, const Matrix<double>& table) {
      if (strengths[kind] == 0) return;
      out.narrow[row] += strengths[kind] * dot(table.row(place), table.row(place));
    };
    add_own(GroupKind::kOwnColumns, *tables.columns);
    add_own(GroupKind::kOwnSmooth, *tables.smooth);
    add_own(GroupKind::kOwnCurves, *tables.curves);
    if (!sums_features) continue;
    by_words[row] +=
        (strengths[GroupKind::kSumWords] + strengths[GroupKind::kMeanWords] * inverse * inverse) *
        lengths.words[place];
    out.narrow[row] += (strengths[GroupKind::kSumColumns] +
                        strengths[GroupKind::kMeanColumns] * inverse * inverse) *
                       lengths.columns[place];
  }
  return out;
}

}  // namespace cone
