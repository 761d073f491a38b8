#include "evaluate/association_diagnostics.hpp"

#include <cstddef>
#include <vector>

#include "base/sentence.hpp"
#include "inference/association.hpp"

namespace cone {

std::optional<AssociationDiagnostics> associate_residuals(const EstimationBasis& basis,
                                                          const EstimatorInfo& row) {
  const ModelNoise* noise = noise_of(basis, row);
  if (basis.kernels == nullptr || !basis.kernels->has_edges() || noise == nullptr) {
    return std::nullopt;
  }
  std::vector<double> standardised = noise->residual;
  for (std::size_t i = 0; i < standardised.size(); ++i) {
    standardised[i] = noise->sd[i] > 0 ? standardised[i] / noise->sd[i] : 0.0;
  }
  const NetworkAssociation found =
      measure_association(basis.context, basis.kernels->network(), standardised,
                          basis.context.seed(), basis.kernels->totals());
  return AssociationDiagnostics{
      .moran = found.moran, .p = found.p, .permutations = found.permutations};
}

void describe_association(const std::optional<AssociationDiagnostics>& found,
                          const Decision& decision, bool has_sensitivity_intervals,
                          Diagnostics& out) {
  constexpr double kSure = 0.01;
  constexpr double kNotable = 0.02;  // a correlation that is smaller moves no interval
  out.residual_association = found;
  if (!found || found->p > kSure || found->moran < kNotable) return;
  out.warnings.push_back(sentence(
      "what {} leaves unexplained goes together among neighbours (Moran's I {:.2f}, p {:.2g}): "
      "something on the network is missing in its model. Intervals allow for it as far as it shows "
      "({}); if it also moved the treatment, {}",
      decision.estimator, found->moran, found->p, enum_name(decision.dependence),
      has_sensitivity_intervals
          ? "see the sensitivity intervals"
          : "they do not hold what that does: network_dm has sensitivity intervals"));
}

}  // namespace cone
