#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cone {

/// How an estimator turns nuisances into a value.
enum class Method {
  kArmMeans,
  kInversePropensity,
  kSelfNormalised,
  kClippedInversePropensity,
  kDirect,
  kDoublyRobust,
  kSwitch,
  kShrinkage,
  kKernelBalancing,
};

/// One row of the method table (DEVELOPING.md shows it with formulas).
struct EstimatorInfo {
  std::string_view name;
  Method method;
  /// The outcome model it is fitted with ("ols1", "ols2", "ridge", "nn", "cone"), "" where it needs
  /// none, "given" for those that exist only with the user's own mu0 and mu1.
  std::string_view outcome_model;
  /// What its propensities are fitted on: "features", "cone", or "" where it needs none.
  std::string_view propensity_model;
  std::string_view summary;
  /// What its kernel compares nodes by: "features", "cone", or "" where it has none.
  std::string_view kernel;

  bool needs_outcome_model() const { return !outcome_model.empty(); }
  bool needs_cone() const {
    return outcome_model == "cone" || propensity_model == "cone" || kernel == "cone";
  }
  bool runs_by_default() const;
  bool needs_propensity() const { return !propensity_model.empty(); }
};

/// Every estimator, in the order in which tables list them.
std::span<const EstimatorInfo> estimator_catalogue();

/// nullptr for an unknown name.
const EstimatorInfo* find_estimator(std::string_view name);

/// The name of the doubly robust estimator on this outcome model, which has a standard error
/// whatever the model is.
std::string_view doubly_robust_on(std::string_view outcome_model);

/// What runs when the user names no estimators: everything that is fitted here, or, with the user's
/// own nuisances, one row per method (their outcome model is the same whatever the row's name).
std::vector<std::string_view> default_estimators(bool given_nuisances);

}  // namespace cone
