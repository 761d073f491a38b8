#pragma once

#include <optional>
#include <string>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/sensitivity.hpp"

namespace cone {

/// Whether the policy assigns every unit its logged arm. Its value is then observed, and the
/// formulas do not apply: they take a policy to be a function of pre-treatment covariates.
bool equals_logged_policy(const Dataset& data, MatrixView<const double> policy);

/// The result for a policy identical to the logged one: a difference of 0 for every confounder.
PolicySensitivity describe_logged_policy(std::span<const double> lambdas);

/// Why the results of this policy are unreliable (overlap, mean weight), with the criteria of `cone
/// evaluate`; none where they are not. `policy`: weighted as the sample is (weigh_rows). `bounds`:
/// of the propensities.
std::optional<std::string> doubt_overlap(const std::string& name, const LoggedSample& sample,
                                         MatrixView<const double> policy,
                                         MatrixView<const double> propensity,
                                         const PropensityBounds& bounds);

/// A sentence where the two estimates of a difference are further apart than sampling error
/// explains: then one of the models is misspecified.
std::optional<std::string> doubt_agreement(const PolicySensitivity& found);

}  // namespace cone
