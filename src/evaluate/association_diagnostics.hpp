#pragma once

#include <optional>

#include "cone/record.hpp"

#include "evaluate/row_estimates.hpp"

namespace cone {

/// Whether what the row's outcome model leaves goes together among neighbours, over all processes
/// that share the network; none without edges, without an outcome model and where only part of the
/// network is scored.
std::optional<AssociationDiagnostics> associate_residuals(const EstimationBasis& basis,
                                                          const EstimatorInfo& row);

/// Puts it among the diagnostics, and a warning of what it means where it is there beyond chance.
void describe_association(const std::optional<AssociationDiagnostics>& found,
                          const Decision& decision, bool has_sensitivity_intervals,
                          Diagnostics& out);

}  // namespace cone
