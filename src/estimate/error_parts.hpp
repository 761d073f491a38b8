#pragma once

#include <span>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// What the error of a value is made of. `weights`: what the row multiplies residuals by, after its
/// own bounds; empty where it has none. `influence`: for the population, of the row's formula.
ErrorParts take_error_apart(const EstimatorInfo& estimator, const Evidence& evidence,
                            const EstimatorOptions& options, std::span<const double> weights,
                            std::vector<double> influence);

/// The square root of the variance of independent parts and of the arms that units did not get.
double error_of_these(const ErrorParts& parts, const Totals& totals);

/// A row that corrects the direct method by weighted residuals is the direct method on this table,
/// π_a(i) − 1{t_i = a}·w_i, plus the weighted outcomes. So where predictions are linear in the
/// outcomes, the weights of all outcomes in the value are those that the model implies for this
/// table, plus w. `weights`: what residuals are multiplied by, over n.
Matrix<double> uncorrected_part(const Evidence& evidence, std::span<const double> weights);

/// w of the row, as it multiplies residuals in the mean: switched, shrunk, or for the cautious
/// correction self-normalised times its factor.
std::vector<double> residual_weights(const EstimatorInfo& estimator, const Evidence& evidence,
                                     const EstimatorOptions& options);

}  // namespace cone
