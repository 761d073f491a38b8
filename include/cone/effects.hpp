#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

/// \file
/// Potential outcomes and treatment effects of every node by the network ridge, with standard
/// deviations and a decomposition.

namespace cone {

/// Whether effects are shrunk towards their mean.
enum class EffectShrinkage {
  kAuto,  ///< as far as the calibration slope says that their differences are noise
  kNone,
};

template <>
struct EnumNames<EffectShrinkage> {
  static constexpr std::array kNames = {
      std::pair{EffectShrinkage::kAuto, std::string_view("auto")},
      std::pair{EffectShrinkage::kNone, std::string_view("none")}};
};

struct EffectOptions {
  int folds = 5;
  std::uint32_t draws = 64;
  EffectShrinkage effect_shrinkage = EffectShrinkage::kAuto;
  /// Predictions of single nodes are best without undersmoothing, and their standard deviations
  /// assume that.
  NetworkRidgeOptions network_ridge = without_undersmoothing();

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("folds", self.folds, "Number of cross-fitting folds", between(2, 1000));
    visitor("draws", self.draws,
            "Number of random draws for standard deviations in networks with more than 5,000 nodes "
            "per arm; their relative error is 1/sqrt(2 x draws)",
            between(2, 100000));
    visitor("effect_shrinkage", self.effect_shrinkage,
            "Shrink effects towards their mean where the calibration slope says that differences "
            "between them are noise, or report them as predicted");
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

/// How the predicted effects of an arm compare with outcomes out of fold.
struct EffectCalibration {
  /// Of effects on predicted ones: 1 where they are calibrated, 0 where their differences are
  /// noise. NaN where it cannot be estimated.
  double slope = std::numeric_limits<double>::quiet_NaN();
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  /// 0: effects are as predicted; 1: all are the mean effect.
  double shrinkage = 0;
  /// Why there is no slope, as a clause; empty where there is one.
  std::string unidentified;
};

/// One row per node, in the order of the data. A node's row comes from a fit without its fold.
///
/// Effects are shrunk towards their mean: effect = mean + (1 − shrinkage)·(mu of the arm − mu of
/// the control arm − mean), with the mean of those differences. effect_sd is the root mean squared
/// error of that under the model. mu, mu_sd and parts are not shrunk.
///
/// Standard deviations are those of the prediction error under the model, with the learnt variances
/// and noise, and include the unpenalised effects. Without undersmoothing that is the posterior
/// standard deviation of the mean outcome. Arms are modelled separately, so the variance of a
/// difference is the sum of both arms' variances.
struct NodeEffects {
  Matrix<double> mu;         ///< nodes × arms: predicted outcomes
  Matrix<double> mu_sd;      ///< nodes × arms
  Matrix<double> effect;     ///< nodes × (arms − 1): arm a + 1 against the control arm
  Matrix<double> effect_sd;  ///< nodes × (arms − 1)
  /// Per arm but the control arm; empty with EffectShrinkage::kNone.
  std::vector<EffectCalibration> calibration;
  /// nodes × arms: the treatment model's propensities, out of fold, that the calibration uses;
  /// empty without.
  Matrix<double> propensity;
  /// "fixed" (the intercept of the arm and the effect of the degree), then the groups of the ridge.
  std::vector<std::string> part_names;
  /// nodes × (arms · part_names): contribution of each part to the predicted outcome. The parts of
  /// an arm sum to mu, up to rounding.
  Matrix<double> parts;
  NetworkRidgeSummary ridge;
  /// Random draws of the standard deviations; 0 where they are exact.
  std::uint32_t draws = 0;
  std::vector<std::string> warnings;
};

/// Fits the network ridge to the logged data and predicts every node; for shrinkage also a network
/// ridge of the treatment. Standard deviations are exact
/// without a network and up to 5,000 nodes per arm, O(nodes · arm²); beyond, by random draws, each
/// as costly as the predictions. Throws what a learner throws. predict_effects() of
/// cone/model.hpp takes the variances of a model, and warns of confounding.
NodeEffects estimate_effects(const Context& context, const Dataset& data,
                             const EffectOptions& options);

/// The rows of all ranks in the order of the data, on the root. Collective; in one process
/// nothing changes.
NodeEffects gather_effects(const Dataset& data, NodeEffects own);

/// Propensities P(T_i = a), scored nodes × arms, by the network ridge with the treatment indicator
/// as outcome: a score that is linear in the groups of effects, cross-fitted and without
/// undersmoothing, turned into a probability. Without `sees_network`, from own features only.
Matrix<double> predict_treatment(const Context& context, const Dataset& data, const FitPlan& plan,
                                 NetworkRidgeOptions options, bool sees_network);

}  // namespace cone
