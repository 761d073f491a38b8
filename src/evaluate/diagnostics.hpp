#pragma once

#include <optional>
#include <span>

#include "cone/dataset.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

DataSummary summarise(const Dataset& data);

/// Everything that judges an evaluation: the data, the learnt nuisances, overlap, residuals, and
/// all warnings that concern no single estimate. `decision`: nullptr where there is none;
/// `association`: of the residuals of its outcome model. Collective where the data is distributed.
Diagnostics diagnose(const Context& context, const LoadedData& data,
                     std::span<const PolicyOnData> policies, const EvaluationPlan& plan,
                     const Learnt& learnt, const EvaluateOptions& options,
                     std::span<const PolicyResult> results, const Decision* decision,
                     const std::optional<AssociationDiagnostics>& association);

}  // namespace cone
