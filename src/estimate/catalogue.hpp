#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "options/options.hpp"

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

/// Who learns the nuisances of an estimator.
enum class LearnerId {
  kNone,
  kGiven,     ///< the user's own columns
  kLogistic,  ///< propensities on features
  kOls1,
  kOls2,
  kRidge,
  kNetworks,  ///< outcomes on features
  kKernel,    ///< balance on features
  kCone,      ///< outcomes, propensities or balance on learnt representations
};

template <>
struct EnumNames<LearnerId> {
  static constexpr std::array kNames = {
      std::pair{LearnerId::kNone, std::string_view("")},
      std::pair{LearnerId::kGiven, std::string_view("given")},
      std::pair{LearnerId::kLogistic, std::string_view("features")},
      std::pair{LearnerId::kOls1, std::string_view("ols1")},
      std::pair{LearnerId::kOls2, std::string_view("ols2")},
      std::pair{LearnerId::kRidge, std::string_view("ridge")},
      std::pair{LearnerId::kNetworks, std::string_view("nn")},
      std::pair{LearnerId::kKernel, std::string_view("okb")},
      std::pair{LearnerId::kCone, std::string_view("cone")}};
};

/// One row of the method table (DEVELOPING.md shows it with formulas).
struct EstimatorInfo {
  std::string_view name;
  Method method;
  LearnerId outcome;  ///< whose outcome model it uses; kGiven only with the user's own
  LearnerId weights;  ///< whose propensities, or whose balance, its weights are made of
  std::string_view summary;

  bool needs_outcome_model() const { return outcome != LearnerId::kNone; }
  bool needs_balance() const { return method == Method::kKernelBalancing; }
  bool needs_propensity() const { return weights != LearnerId::kNone && !needs_balance(); }
  bool needs(LearnerId learner) const { return outcome == learner || weights == learner; }
  bool runs_by_default() const;
};

/// Every estimator, in the order in which tables list them.
std::span<const EstimatorInfo> estimator_catalogue();

/// nullptr for an unknown name.
const EstimatorInfo* find_estimator(std::string_view name);

/// The name of the doubly robust estimator on this outcome model, which has a standard error
/// whatever the model is.
std::string_view doubly_robust_on(LearnerId outcome);

/// What runs when the user names no estimators: everything that is fitted here, or, with the user's
/// own nuisances, one row per method (their outcome model is the same whatever the row's name).
std::vector<std::string_view> default_estimators(bool given_nuisances);

}  // namespace cone
