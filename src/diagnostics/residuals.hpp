#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cone/learn.hpp"
#include "cone/record.hpp"

#include "inference/dependent_errors.hpp"
#include "inference/neighbourhood.hpp"

namespace cone {

/// `residual`: one per node of the sample, whose nodes are rows of the network. Over all ranks. The
/// standard error of the trend is robust to heteroscedasticity, not to correlation among
/// neighbours. O(n log n).
DegreeResiduals measure_degree_residuals(const Neighbourhood& network, const LoggedSample& sample,
                                         std::span<const double> residual,
                                         std::string_view outcome_model);

/// Moran's I of the standardised residuals of an outcome model, over all ranks; none without edges.
std::optional<AssociationDiagnostics> associate_residuals(const Context& context,
                                                          const DependenceKernels& kernels,
                                                          const ModelNoise& noise);

/// Adds it to the diagnostics, with a warning where it is significant.
void describe_association(const std::optional<AssociationDiagnostics>& found,
                          const Decision& decision, bool has_sensitivity_intervals,
                          Diagnostics& out);

}  // namespace cone
