#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/settings.hpp"

namespace cone {

/// P(the log gives node i arm a), scored nodes × arms, by the network ridge with the treatment in
/// the place of the outcome: a number that is linear in the groups of effects, cross-fitted and
/// without undersmoothing, turned into a probability by calibrate(). Without `sees_network`,
/// features alone speak.
Matrix<double> predict_treatment(const Context& context, const Dataset& data, const FitPlan& plan,
                                 NetworkRidgeOptions options, bool sees_network);

/// Logistic regression of a yes or no on one number (Platt's scaling): probabilities in the order
/// of the scores. A constant, where the scores say nothing.
std::vector<double> calibrate(std::span<const double> score, std::span<const char> happened);

}  // namespace cone
