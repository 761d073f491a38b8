#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "linear/logistic.hpp"

namespace cone {

/// A softmax regression of the arm whose penalty was chosen out of sample.
struct PropensityFit {
  LogisticFit model;
  double held_out_loss = 0;          ///< mean log-loss over the selection splits
  double strength = 0;               ///< C
  bool has_weakest_penalty = false;  ///< of the grid
};

/// One fit per task, on rows of x and their arms; LogisticLearner describes how C is chosen.
/// total_variance: the sum of the variances of the columns, which sets the scale of the candidates.
/// A selection split whose fitting side lacks an arm is skipped; Error(kData) where all are.
std::vector<PropensityFit> fit_propensities(const Context& context, const FeatureMatrix& x,
                                            std::span<const Arm> treatment, std::size_t num_arms,
                                            double total_variance, std::span<const FitTask> tasks);

}  // namespace cone
