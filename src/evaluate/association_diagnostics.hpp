#pragma once

#include <optional>

#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// Moran's I of the residuals of the estimator's outcome model, over all ranks; none without edges,
/// without an outcome model and where only part of the network is scored.
std::optional<AssociationDiagnostics> associate_residuals(const Context& context,
                                                          const Learnt& learnt,
                                                          const EstimatorInfo& row);

/// Adds it to the diagnostics, with a warning where it is significant.
void describe_association(const std::optional<AssociationDiagnostics>& found,
                          const Decision& decision, bool has_sensitivity_intervals,
                          Diagnostics& out);

}  // namespace cone
