#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/forecast.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/settings.hpp"

/// \file
/// What the network ridge expects of every node under every arm, how sure it is, and why.

namespace cone {

struct RidgeFit;

struct EffectOptions {
  int folds = 5;
  std::uint32_t draws = 64;
  /// A node's own prediction is best where nothing is undersmoothed, and its standard deviation
  /// belongs to that.
  NetworkRidgeOptions network_ridge = without_undersmoothing();

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("folds", self.folds, "Folds of the cross-fitting", between(2, 1000));
    visitor("draws", self.draws,
            "Random draws that standard deviations rest on where arms of a network have more than "
            "5,000 nodes; their relative error is 1/sqrt(2 x draws)",
            between(2, 100000));
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
  }
  void check(std::vector<Fault>& faults) const { network_ridge.check(faults); }

 private:
  static NetworkRidgeOptions without_undersmoothing() {
    NetworkRidgeOptions options;
    options.undersmoothing = 1;
    return options;
  }
};

/// One row per node, in the order of the data. A node's row comes from a fit without its fold.
///
/// Standard deviations are those of the error that the model expects of its prediction, with the
/// variances and the noise it learnt, the unpenalised effects included. Without undersmoothing that
/// is the posterior standard deviation of the mean outcome. Arms have effects of their own, so the
/// variance of a difference is the sum of both arms' variances.
struct NodeEffects {
  Matrix<double> mu;         ///< nodes × arms: the expected outcome
  Matrix<double> mu_sd;      ///< nodes × arms
  Matrix<double> effect;     ///< nodes × (arms − 1): arm a + 1 against the control arm
  Matrix<double> effect_sd;  ///< nodes × (arms − 1)
  /// "fixed" (the level of the arm and what the degree adds to it), then the groups of the ridge.
  std::vector<std::string> part_names;
  /// nodes × (arms · part_names): what each part adds to the expected outcome. The parts of an arm
  /// sum to mu, but for rounding.
  Matrix<double> parts;
  NetworkRidgeSummary ridge;
  /// That the standard deviations rest on; 0 where they are exact.
  std::uint32_t draws = 0;
  std::vector<std::string> warnings;
};

/// Learns the network ridge from the log and asks it about every node. Exact standard deviations
/// without a network and up to 5,000 nodes per arm, O(nodes · arm²); beyond, by random draws, each
/// as dear as the predictions. Throws what a learner throws. With `known`
/// (network_ridge/ridge_fit.hpp) its variances are taken instead of learnt; options (but for
/// undersmoothing, solver and draws), folds and seed must be those of that fit, and so must the
/// data.
NodeEffects estimate_effects(const Context& context, const Dataset& data,
                             const EffectOptions& options, const RidgeFit* known = nullptr);

/// What that may take: the ridge, predictions and standard deviations.
std::vector<ExpectedCost> expected_effect_costs(const Context& context, const Dataset& data,
                                                const EffectOptions& options,
                                                const RidgeFit* known = nullptr);

}  // namespace cone
