#include "evaluate/association_diagnostics.hpp"

#include <cstddef>
#include <vector>

#include "cone/text.hpp"

#include "inference/association.hpp"

namespace cone {

std::optional<AssociationDiagnostics> associate_residuals(const Context& context,
                                                          const Learnt& learnt,
                                                          const EstimatorInfo& row) {
  const ModelNoise* noise = learnt.noise_of(row);
  if (!learnt.kernels || !learnt.kernels->has_edges() || noise == nullptr) return std::nullopt;
  std::vector<double> standardised = noise->residual;
  for (std::size_t i = 0; i < standardised.size(); ++i) {
    standardised[i] = noise->sd[i] > 0 ? standardised[i] / noise->sd[i] : 0.0;
  }
  const NetworkAssociation found =
      measure_association(context, learnt.kernels->network(), standardised, context.seed(),
                          learnt.kernels->comm());
  return AssociationDiagnostics{
      .moran = found.moran, .p = found.p, .permutations = found.permutations};
}

void describe_association(const std::optional<AssociationDiagnostics>& found,
                          const Decision& decision, bool has_sensitivity_intervals,
                          Diagnostics& out) {
  constexpr double kSignificant = 0.01;
  constexpr double kNotable = 0.02;  // smaller correlations hardly affect intervals
  out.residual_association = found;
  if (!found || found->p > kSignificant || found->moran < kNotable) return;
  out.warnings.push_back(sentence(
      "the residuals of {} are correlated among neighbours (Moran's I {:.2f}, p {:.2g}): its "
      "outcome model misses a network component. Intervals allow for the correlation ({}) but not "
      "for confounding by that component: {}",
      decision.estimator, found->moran, found->p, enum_name(decision.dependence),
      has_sensitivity_intervals ? "see the sensitivity intervals"
                                : "network_dm has sensitivity intervals"));
}

}  // namespace cone
