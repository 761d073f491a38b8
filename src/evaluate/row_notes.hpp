#pragma once

#include "cone/estimate.hpp"

#include "evaluate/learning.hpp"

namespace cone {

/// Says in an estimate's warnings what its learners had trouble with, and where the user's own
/// columns took the place of the model that the row is named after.
void note_learning(const EstimatorInfo& row, const Evidence& evidence,
                   const LearntNuisances& learnt, Estimate& value);

}  // namespace cone
