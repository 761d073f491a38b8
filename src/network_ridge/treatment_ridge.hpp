#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/settings.hpp"
#include "cone/totals.hpp"

namespace cone {

/// P(the log gives node i arm a), scored nodes × arms, by the network ridge with the treatment in
/// the position of the outcome: a number that is linear in the groups of effects, cross-fitted and
/// without undersmoothing, turned into a probability by calibrate(). Without `sees_network`,
/// features alone speak.
Matrix<double> predict_treatment(const Context& context, const Dataset& data, const FitPlan& plan,
                                 NetworkRidgeOptions options, bool sees_network);

/// How the ridge is asked about treatments: as about outcomes, but without undersmoothing, and on a
/// sample that is soon enough.
struct TreatmentFit {
  NetworkRidgeOptions options;
  std::size_t most_nodes = 0;  ///< to learn variances on
};
TreatmentFit plan_treatment_fit(NetworkRidgeOptions options, std::uint64_t num_nodes,
                                std::size_t num_arms);

/// Probabilities, nodes × arms, of what the ridge says of every arm: score(a) has the number of
/// every node whose outcome is "got arm a". Of two arms only arm 1 is asked about, as the other is
/// what it leaves; those of more arms are made to sum to 1. `treatment`: what the nodes got.
Matrix<double> combine_scores(std::span<const Arm> treatment, std::size_t num_arms,
                              const std::function<std::vector<double>(Arm)>& score,
                              const Totals& totals = Totals::alone());

/// Logistic regression of a yes or no on one number (Platt's scaling): probabilities in the order
/// of the scores. A constant, where the scores say nothing. With several processes, each has its
/// own scores, and the regression is that of all.
std::vector<double> calibrate(std::span<const double> score, std::span<const char> happened,
                              const Totals& totals = Totals::alone());

}  // namespace cone
