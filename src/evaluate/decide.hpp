#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/record.hpp"

#include "data/arm_costs.hpp"
#include "inference/confounding_strength.hpp"
#include "inference/dependent_errors.hpp"

namespace cone {

/// The inputs of a comparison.
struct Comparable {
  const LoggedSample& sample;
  const DependenceKernels& kernels;
  const ModelNoise* noise = nullptr;                ///< of the estimator's outcome model
  std::span<const Matrix<double>> sample_policies;  ///< sample × arms, weighed
  const CostTable& costs;                           ///< rows are those of the sample
  const NetworkStrength* strength = nullptr;     ///< of sensitivity intervals, where there are any
  bool is_randomised = false;                    ///< see Decision
  bool is_sensitivity_off = false;               ///< likewise
  bool lower_is_better = false;                  ///< likewise
  ArmNoise arm_noise = ArmNoise::kIndependent;   ///< of the estimates' error parts
  const FitPlan& plan;                           ///< without tasks where nothing was fitted
  std::span<const std::uint32_t> cluster;        ///< given clusters, of every node
  std::span<const std::uint8_t> in_sample = {};  ///< 1: learnt from these data; empty: none is
};

/// The estimator that decisions use: the recommended one where it ran, else the first doubly robust
/// one, else the first. nullptr without any.
const EstimatorInfo* choose_headline(std::span<const EstimatorInfo> rows);

/// Whether an estimate has a standard error and its contributions by node.
bool is_comparable(const Estimate& e, const Communicator& comm = Communicator::self());

/// Error contributions of value − sign·cost: for the population the mean cost is estimated from the
/// same units; for the sample it is known. `policy`: sample × arms, weighed.
ErrorParts subtract_costs(const LoggedSample& sample, const Matrix<double>& policy,
                          const CostTable& costs, double sign, ErrorParts parts);

/// Warns where the requested dependence is not usable.
void warn_of_refused_dependence(Dependence wanted, const Decision& decision,
                                std::vector<std::string>& warnings);

/// Compares the policies with each other and with the logged policy, by the estimates of
/// `estimator`. Differences of all pairs are listed for up to `listed_up_to` policies.
Decision decide(const Context& context, const Comparable& compared, std::string_view estimator,
                std::span<const PolicyResult> results, Dependence wanted, int listed_up_to);

}  // namespace cone
