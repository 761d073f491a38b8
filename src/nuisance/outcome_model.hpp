#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "nuisance/fit_plan.hpp"
#include "nuisance/nuisance_options.hpp"
#include "options/options.hpp"

namespace cone {

enum class OutcomeModel {
  kOls1,   ///< one regression, the treatment a column beside the features
  kOls2,   ///< one regression per arm
  kRidge,  ///< one ridge regression per arm
};

template <>
struct EnumNames<OutcomeModel> {
  static constexpr std::array kNames = {std::pair{OutcomeModel::kOls1, std::string_view("ols1")},
                                        std::pair{OutcomeModel::kOls2, std::string_view("ols2")},
                                        std::pair{OutcomeModel::kRidge, std::string_view("ridge")}};
};

/// A prediction far outside the outcomes fitted on, and the end of the plausible range
/// ([min − ½ range, max + ½ range] of the outcomes of a task's fitting nodes) that it is beyond.
struct ImplausiblePrediction {
  NodeIndex node;
  std::uint8_t arm;
  double predicted;
  double limit;
};

struct OutcomePredictions {
  /// Predicted outcome without and with treatment, one per node; NaN where not scored.
  std::vector<double> mu0;
  std::vector<double> mu1;
  /// policies × nodes. The models are linear in the outcomes they were fitted to, so the
  /// direct-method total Σ_{i scored} [π_i·mu1_i + (1 − π_i)·mu0_i] is Σ_j v_j·y_j; row k holds the
  /// v of policy k. A row sums to the number of scored nodes.
  Matrix<double> implied_weights;
  /// One per policy: Σ_j v_j²·r_j² / num_scored², the part of the sampling variance of the
  /// direct method that is due to the noise of the outcomes fitted to. r_j is the residual of the
  /// model that scored j; where j was not scored (split protocol) it is the in-sample residual and
  /// its square is multiplied by n/(n − degrees of freedom) of the fit. NaN, with a warning, where
  /// a fit has as many degrees of freedom as nodes: residuals of an interpolation say nothing.
  std::vector<double> model_variance;
  /// Ridge only: the penalty of task t and arm a, on the scaled features, at 2t + a. Infinite
  /// where the mean of the arm predicts best.
  std::vector<double> chosen_strengths;
  /// Networks only: mean squared error on the held-out nodes of the selection splits.
  double selection_error = 0;
  /// By task; `mu0` and `mu1` hold the limit where `bounded`, otherwise what was predicted.
  /// Networks are bounded. Linear models are not: their variance belongs to the predictions as they
  /// are.
  std::vector<ImplausiblePrediction> implausible;
  bool bounded = false;
  std::vector<std::string> warnings;
};

/// Fits the outcome model on every task of the plan and predicts both potential outcomes of the
/// scored nodes. `policies`: one row per policy, the probability of treatment of every node.
///
/// The strength of ridge is chosen by squared error on the task's selection splits, for each arm on
/// its own, over a geometric grid of noise-to-signal ratios from infinity (the mean) downwards;
/// ties go to the stronger penalty. Selection solves by conjugate gradients, warm-started along the
/// path: on sparse features a strength costs tens of passes over the entries, where
/// cross-validation by factorisation would cost a cubic solve per strength. The final fit is
/// direct.
///
/// Throws Error(kData) where the data has no log or an arm is missing among a task's fitting nodes.
OutcomePredictions predict_outcomes(const Context& context, const Dataset& data,
                                    const FitPlan& plan, OutcomeModel model,
                                    MatrixView<const double> policies,
                                    const NuisanceOptions& options);

}  // namespace cone
