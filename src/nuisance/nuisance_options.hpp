#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "options/options.hpp"

namespace cone {

/// What ridge and logistic regression, whose penalty depends on the units, do to the features.
enum class FeatureScaling {
  kNone,
  kUnitVariance,  ///< divide by the standard deviation over all nodes; zeros stay zeros
};

template <>
struct EnumNames<FeatureScaling> {
  static constexpr std::array kNames = {
      std::pair{FeatureScaling::kNone, std::string_view("none")},
      std::pair{FeatureScaling::kUnitVariance, std::string_view("unit_variance")}};
};

struct NuisanceOptions {
  double propensity_bound = 0.01;
  FeatureScaling feature_scaling = FeatureScaling::kUnitVariance;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("propensity_bound", self.propensity_bound,
            "Estimated propensities are kept within [bound, 1 - bound]", between(0, 0.5));
    visitor("feature_scaling", self.feature_scaling,
            "Scaling of the features before ridge and logistic regression");
  }
};

}  // namespace cone
