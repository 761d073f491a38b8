#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The two values where all outcomes are one of two; none otherwise. Means lie between them.
std::optional<std::pair<double, double>> find_two_values(const LoggedSample& sample);

/// Why no interval of a policy's value is to be relied on, or empty: an arm that the policy assigns
/// to more than a hundredth of the units has an effective sample size below 20, or fewer than 20
/// units with an event (an outcome other than 0; of two values, the rarer one). The normal
/// approximation fails there, and resampling the same few units does not repair it. Events are
/// counted as units are, by their weights. `policy`: sample × arms. `weights`: of the outcomes in
/// the value, v_i; empty where they are not known, and then `effective_sample_size` is that of all
/// arms together.
///
/// Neither is it where the survey weights of all units have an effective sample size below 20.
std::string find_unreliable(const LoggedSample& sample, MatrixView<const double> policy,
                            std::span<const double> weights, double effective_sample_size);

/// Why a policy's difference from the logged policy is not to be relied on, or empty: more than a
/// tenth of the units that it assigns another arm than the logged one received an arm of which
/// there are too few such units, or units with an event, as above. Their own outcomes are one side
/// of the difference, whatever arms the policy assigns.
std::string find_few_taken(const LoggedSample& sample, MatrixView<const double> policy);

}  // namespace cone
