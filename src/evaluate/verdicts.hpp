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

/// The inputs of the verdicts: of a run, or of one rank of a distributed run. Referenced objects
/// must outlive it.
struct JudgedRun {
  const LoggedSample& sample;  ///< nodes are rows of the features and of the network
  const FeatureTable& features;
  const Neighbourhood& network;
  std::vector<EstimatorInfo> finished;  ///< the estimators that have finished
  const LearntNuisances& learnt;
  const FitPlan& plan;                       ///< without tasks where nothing was fitted
  std::span<const Matrix<double>> policies;  ///< sample × arms, weighed; one per result
  std::span<const std::uint32_t> cluster;    ///< given clusters, of every node
};

/// Adds the diagnostics that have a verdict: of the propensities and of the outcome model of the
/// recommended estimator. Where the observer asks to stop, balance is skipped with a warning,
/// unless other ranks would wait for it.
void add_verdicts(const Context& context, const JudgedRun& run,
                  std::span<const PolicyResult> results, Diagnostics& out);

}  // namespace cone
