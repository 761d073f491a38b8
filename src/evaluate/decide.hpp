#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// The estimator that decisions use: the recommended one where it ran, else the first doubly robust
/// one, else the first. nullptr without any.
const EstimatorInfo* choose_headline(std::span<const EstimatorInfo> rows);

/// Whether an estimate has a standard error and its contributions by node. Collective.
bool is_comparable(const Estimate& e, const Communicator& comm);

/// Whether treatment counts as assigned at random given what this estimator adjusts for.
bool is_randomised(const Dataset& data, const Learnt& learnt, const EvaluateOptions& options,
                   const EstimatorInfo& headline);

/// Error contributions of value − sign·cost: for the population the mean cost is estimated from the
/// same units; for the sample it is known. `policy`: sample × arms, weighed.
ErrorParts subtract_costs(const LoggedSample& sample, const Matrix<double>& policy,
                          const CostTable& costs, double sign, ErrorParts parts);

/// Warns where the requested dependence is not usable.
void warn_of_refused_dependence(Dependence wanted, const Decision& decision,
                                std::vector<std::string>& warnings);

/// Compares the policies with each other and with the logged policy, by the recommended one of the
/// finished estimators. None where only part of the network is scored. Collective where the data is
/// distributed.
std::optional<Decision> decide(const Context& context, const LoadedData& data,
                               const EvaluationPlan& plan, const Learnt& learnt,
                               const EvaluateOptions& options,
                               std::span<const PolicyResult> results);

}  // namespace cone
