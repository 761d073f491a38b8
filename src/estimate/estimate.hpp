#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "balance/kernel_balancing.hpp"
#include "estimate/catalogue.hpp"
#include "estimate/estimators.hpp"
#include "options/options.hpp"

namespace cone {

struct EstimatorOptions {
  Correction correction = Correction::kSelfNormalised;
  double clip = 10;
  double switch_threshold = 10;
  double shrinkage_lambda = 100;
  double level = 0.95;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("correction", self.correction, "How residuals correct the doubly robust estimates");
    visitor("clip", self.clip, "Largest weight in ips_clipped", more_than(0));
    visitor("switch_threshold", self.switch_threshold, "Weights above it are ignored by switch_dr",
            more_than(0));
    visitor("shrinkage_lambda", self.shrinkage_lambda,
            "dr_shrinkage goes from the direct method (0) to plain dr (large)", at_least(0));
    visitor("level", self.level, "Coverage of the intervals", strictly_between(0, 1));
  }
};

/// A fitted or given outcome model on the evaluation nodes.
struct OutcomeView {
  std::span<const double> mu0;
  std::span<const double> mu1;
  /// Weights on fitted outcomes that reproduce the direct method, where the model is linear in them
  /// (over all nodes, any length); empty where unknown.
  std::span<const double> implied_weights;
  /// Sampling variance of the direct method that comes from fitting the model; none where unknown.
  std::optional<double> model_variance;
  /// The user's own mu0 and mu1, whatever the row is called.
  bool given = false;
  /// The same predictions, but those far outside the outcomes seen treated the other way: as
  /// predicted where `mu0` and `mu1` were bounded, bounded where they were not. Empty where every
  /// prediction is plausible.
  std::span<const double> other_mu0;
  std::span<const double> other_mu1;
  bool bounded = false;  ///< mu0 and mu1 were bounded
};

/// P(log treats a node) on the evaluation nodes.
struct PropensityView {
  std::span<const double> probability;
  /// Fitted ones before they were bounded to [bound, 1 − bound]; empty where they are given.
  std::span<const double> unbounded;
  double bound = 0;  ///< 0 where they were not bounded

  bool given() const { return unbounded.empty(); }
};

/// All that one estimate may see. Spans have one length, the number of evaluation nodes.
struct EstimationInput {
  std::span<const std::uint8_t> treatment;
  std::span<const double> outcome;
  std::span<const double> policy;
  /// What weights are made of. A row that needs none shows by it whether the log could have done
  /// what the policy does; empty where nothing is known of that.
  PropensityView propensity;
  OutcomeView outcome_model;
};

enum class EstimateStatus {
  kOk,
  kCaution,    ///< there is a value, and a warning says why to doubt it
  kUndefined,  ///< no value exists: nothing logged speaks to this policy
};

template <>
struct EnumNames<EstimateStatus> {
  static constexpr std::array<std::pair<EstimateStatus, std::string_view>, 3> kNames = {
      {{EstimateStatus::kOk, "ok"},
       {EstimateStatus::kCaution, "caution"},
       {EstimateStatus::kUndefined, "undefined"}}};
};

struct Estimate {
  std::string estimator;
  double value = 0;
  double standard_error = 0;  ///< NaN where none is honest; then the interval is too
  std::pair<double, double> interval;
  double level = 0.95;
  std::optional<double> effective_sample_size;  ///< none where no weights are involved
  std::optional<double> max_weight;
  double clipped_fraction = 0;  ///< nodes whose weight a bound, a clip or a switch changed
  /// Of w = π(t)/e(t) before any clip: near 1 where the propensities are right and the log could
  /// have done what the policy does. None where no propensities are known.
  std::optional<double> mean_weight;
  /// The policy's probability, averaged over the nodes, of an arm that the log never takes: of
  /// given propensity 0, of fitted propensity below the bound. None as above.
  std::optional<double> unsupported_fraction;
  EstimateStatus status = EstimateStatus::kOk;
  std::vector<std::string> warnings;
};

/// Value, standard error, interval, diagnostics and warnings of one estimator for one policy.
///
/// There is no standard error where it would take the outcome model as exact: switch_dr,
/// dr_shrinkage, and the direct method on networks or on given predictions. Nor have estimators by
/// weights one where the log lacks much of what the policy does.
Estimate estimate(const EstimatorInfo& estimator, const EstimationInput& input,
                  const EstimatorOptions& options);

/// The same for what kernel balancing found on the nodes of `input`.
Estimate estimate_balanced(const EstimatorInfo& estimator, const EstimationInput& input,
                           const BalancedValue& balanced, const EstimatorOptions& options);

}  // namespace cone
