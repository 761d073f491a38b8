#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/record.hpp"

#include "evaluate/learning.hpp"
#include "inference/neighbourhood.hpp"

namespace cone {

/// An evaluation as verdicts see it: all of it, or the part of a process that shares the sample
/// with others. What it refers to must outlive it.
struct JudgedRun {
  const LoggedSample& sample;  ///< nodes are rows of the features and of the network
  const FeatureTable& features;
  const Neighbourhood& network;
  std::vector<EstimatorInfo> finished;  ///< the estimators that have their values
  const LearntNuisances& learnt;
  const FitPlan& plan;                       ///< without tasks where nothing was fitted
  std::span<const Matrix<double>> policies;  ///< sample × arms, weighed; one per result
  std::span<const std::uint32_t> cluster;    ///< of every node, where the user gave groups
};

/// Adds the diagnostics that have a verdict. Those of propensities are about the ones by which the
/// estimator that the program recommends looks at the log; those of residuals, about its outcome
/// model. Where the observer asks to stop, the balance is left out and a warning says so, unless
/// other processes would wait for it.
void add_verdicts(const Context& context, const JudgedRun& run,
                  std::span<const PolicyResult> results, Diagnostics& out);

}  // namespace cone
