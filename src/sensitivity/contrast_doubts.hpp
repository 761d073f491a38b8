#pragma once

#include <optional>
#include <string>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/sensitivity.hpp"

namespace cone {

/// Whether the policy gives everyone what they got. No model is needed to value it then, and the
/// formulas do not hold: they take a policy to be a function of what was recorded before.
bool equals_logged_policy(const Dataset& data, MatrixView<const double> policy);

/// A policy whose difference from the logged policy is 0 whatever is hidden.
PolicySensitivity describe_logged_policy(std::span<const double> lambdas);

/// Why figures of this policy are not to be believed, as `cone evaluate` says it; none where
/// nothing speaks against them. `policy`: weighed as the sample is (weigh_rows). `bounds`: of the
/// propensities.
std::optional<std::string> doubt_overlap(const std::string& name, const LoggedSample& sample,
                                         MatrixView<const double> policy,
                                         MatrixView<const double> propensity,
                                         const PropensityBounds& bounds);

/// A sentence where the two estimates of a difference are farther apart than chance brings them:
/// then one of the models is wrong.
std::optional<std::string> doubt_agreement(const PolicySensitivity& found);

}  // namespace cone
