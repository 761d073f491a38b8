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
#include "nuisance/nuisances.hpp"
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

/// What one estimate rests on. Tables have the rows of the sample.
struct Evidence {
  const LoggedSample& sample;
  MatrixView<const double> policy;  ///< sample × arms
  const OutcomeTable* outcome = nullptr;
  /// What weights are made of. A row that needs none shows by it whether the log could have done
  /// what the policy does; nullptr where nothing is known of that.
  const PropensityTable* propensity = nullptr;
  /// Of this policy by the outcome model; nullptr where unknown.
  const ImpliedWeights* implied = nullptr;
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
Estimate estimate(const EstimatorInfo& estimator, const Evidence& evidence,
                  const EstimatorOptions& options);

/// The same for what kernel balancing found on the nodes of the sample.
Estimate estimate_balanced(const EstimatorInfo& estimator, const Evidence& evidence,
                           const BalancedValue& balanced, const EstimatorOptions& options);

}  // namespace cone
