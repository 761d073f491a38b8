#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

/// \file
/// Cross-fitting plans, and the nuisances that learners return: tables of nodes × arms.

namespace cone {

/// The value of a policy, its influence function and weights.
struct BalancedValue {
  double value = 0;  ///< the mean of W·y
  /// m_i + W_i·r_i, centred: m_i is the policy value at node i under kernel ridge regressions, one
  /// fit per arm with the same K and λ, and r_i is the leave-one-out residual of node i. So the
  /// standard error covers the variation between nodes and the noise of the outcomes at these
  /// weights; it takes treatments and weights as given and ignores the regularisation bias of λ.
  std::vector<double> influence;
  /// W, one per node: for the effective sample size, the largest weight.
  std::vector<double> weights;
};

/// Balances one logged sample for any number of policies.
class Balancer {
 public:
  virtual ~Balancer() = default;
  /// policy: the sample's rows × arms, weighted as the sample is. Results are in the order of the
  /// sample.
  virtual BalancedValue value(const Context& context, MatrixView<const double> policy) const = 0;
};

}  // namespace cone

// Learners return tables of the sample's nodes × arms to estimators, independent of policies.

namespace cone {

/// Fit on one part, validate on the other, to choose the strength of a penalty. Both are ascending.
struct SelectionSplit {
  std::vector<NodeIndex> fit;
  std::vector<NodeIndex> score;
};

/// One model (per arm): which nodes it may learn from and which it predicts. Lists are ascending.
struct FitTask {
  std::vector<NodeIndex> fit;
  std::vector<NodeIndex> score;
  std::vector<SelectionSplit> selection;
};

/// Which model predicts which nodes. A node is scored by one task at most, and never by a task
/// that fits on it or selects with it.
struct FitPlan {
  std::vector<FitTask> tasks;
  std::vector<NodeIndex> scored;  ///< ascending; the union of the tasks' score
};

/// Cross-fitting: every node is scored, by a model fitted on the other folds. Within those,
/// `selection_folds` inner folds choose the strength. Both are stratified by arm (Chernozhukov et
/// al. 2018, Double/debiased machine learning for treatment and structural parameters). Throws what
/// make_folds throws, in particular where an arm has too few members.
FitPlan cross_fit_plan(const Context& context, const Dataset& data, int folds, int selection_folds,
                       std::uint64_t seed);
FitPlan cross_fit_plan(const Dataset& data, int folds, int selection_folds, std::uint64_t seed);

/// The paper's protocol: fit on train, choose on validation, score test.
FitPlan split_plan(const Split& split);

/// The plan of the protocol: a function of the data's ids and arms, the options and `seed` (not
/// that of the context: a fitted model has its own). Reports to the observer.
FitPlan make_plan(const Context& context, const Dataset& data, const PlanOptions& options,
                  std::uint64_t seed);

/// Throws Error(kInternal) unless the plan is as described above and its nodes are below
/// num_nodes. Every consumer of a plan calls it.
void require_valid(const FitPlan& plan, std::size_t num_nodes);

/// The indices of the nodes in `scored` (of a plan: the rows of its tables), which contains them
/// all; both are ascending.
std::vector<std::size_t> find_rows(std::span<const NodeIndex> scored,
                                   std::span<const NodeIndex> nodes);

/// The members of `nodes` with this treatment, in order.
std::vector<NodeIndex> nodes_of_arm(const Dataset& data, std::span<const NodeIndex> nodes, Arm arm);

/// The losses of a fold's encoder at some of its epochs, all lists of one length. Outcomes are in
/// units of their standard deviation on the training nodes.
struct TrainingCurves {
  std::vector<std::uint64_t> epoch;  ///< ascending; 0: before the first step
  std::vector<double> training;      ///< the objective: outcome + γ·treatment + ζ·information
  std::vector<double> validation;    ///< for early stopping; empty without validation nodes
  std::vector<double> outcome;       ///< L^y on the training nodes
  std::vector<double> treatment;     ///< L^t on the training nodes
  std::vector<double> information;   ///< L^MI: minus the bound on the mutual information
};

/// How the training of a fold's encoder went, and the validation losses of the weights that were
/// kept.
struct FoldTraining {
  TrainingStatus status{};  ///< completed, stopped early or diverged
  std::uint64_t epochs = 0;
  std::uint64_t best_epoch = 0;
  /// Of the heads that train the encoder: squared error relative to the variance of the training
  /// outcomes, and cross-entropy of the treatment.
  double encoder_head_mse = 0;
  double treatment_head_loss = 0;
  /// Of the models that the estimators use: the squared error of the arms' networks in the same
  /// units, and the cross-entropy of the propensity model in inner folds.
  double arm_network_mse = 0;
  double propensity_loss = 0;
  TrainingCurves curves = {};  ///< empty where the networks come from a file
};

/// The nodes that values are estimated on, with their logged data. All tables below have its rows,
/// in its order.
struct LoggedSample {
  std::vector<NodeIndex> nodes;  ///< ascending
  std::vector<Arm> arm;
  std::vector<double> outcome;
  std::vector<std::string> arms;  ///< labels, as in the dataset
  /// Survey weights over their mean in the sample; empty where all are equal.
  std::vector<double> weight;
  bool is_grouped = false;  ///< clusters are given: standard errors are cluster-robust
  /// Sums over the ranks, which have further rows. Must outlive the sample.
  const Communicator* comm = &Communicator::self();

  std::size_t size() const { return nodes.size(); }
  std::size_t num_arms() const { return arms.size(); }
  double weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
};
/// Throws Error(kData) where all of the nodes have weight 0.
LoggedSample take_sample(const Dataset& data, std::span<const NodeIndex> nodes);

/// The weighted mean over the sample, over all ranks.
double mean_over_units(const LoggedSample& sample, std::span<const double> values);

/// Multiplies every row by the survey weight of its node. Plain means of a policy's table then are
/// weighted means: everything that is linear in a policy (predictions, importance weights, implied
/// weights, bounds) takes the product as a policy.
void weigh_rows(const LoggedSample& sample, Matrix<double>& table);

/// The rows of `table` (one per node of the data) that belong to the nodes.
Matrix<double> take_rows(MatrixView<const double> table, std::span<const NodeIndex> nodes);

/// A prediction far outside the outcomes fitted on, and the end of the plausible range
/// ([min − ½ range, max + ½ range] of the outcomes of a task's fitting nodes) that it is beyond.
struct ImplausiblePrediction {
  std::size_t row;  ///< of the table
  Arm arm;
  double predicted;
  double limit;
};

/// The weights of the outcomes in the direct method with a linear outcome model, for one policy.
struct ImpliedWeights {
  /// One per node of the data. If the model is linear in the outcomes it was fitted to, the
  /// direct-method total Σ_i Σ_a π_a(i)·μ_a(i) over the sample is a sum Σ_j v_j·y_j; these are the
  /// v. They sum to the size of the sample.
  std::vector<double> weights;
  /// Σ_j v_j²·r_j² / size², the part of the sampling variance of the direct method that is due to
  /// the noise of the outcomes fitted to. r_j is the residual of the model that scored j; where j
  /// was not scored (split protocol) it is the in-sample residual and its square is multiplied by
  /// n/(n − degrees of freedom) of the fit. NaN where a fit has as many degrees of freedom as
  /// nodes: residuals of an interpolation are uninformative.
  double variance = 0;
  /// The error variance of the value for the sample (finite-population target): without the
  /// variance of sampling units. None where the model does not provide it.
  std::optional<double> variance_for_sample;
  /// Of a model with learnt effect variances (network ridge): the model-expected covariance of the
  /// residual imbalance (bias) across the policies of one call, as the weights do not balance the
  /// effects exactly; and per arm, the share of the residual variance that is noise. Empty for
  /// other models.
  std::vector<double> imbalance;
  std::vector<double> noise_share;
  bool converged = true;  ///< false where an iterative solve ran out of iterations
};

/// Gives the implied weights of policies after fitting. The data and the plan of the fit must
/// outlive it.
class FitVariance {
 public:
  virtual ~FitVariance() = default;
  /// One result per policy; each policy is a table of the data's nodes × arms. Several at once are
  /// cheaper than one by one.
  virtual std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const = 0;
};

/// Variance components of the network ridge in one arm: how much of the outcome variance each group
/// of effects explains, relative to the residual variance given the fixed effects (degree).
struct ArmVariances {
  std::string arm;
  std::vector<std::pair<std::string, double>> groups;
  double noise = 0;
  double noise_growth = 0;    ///< times degree / mean degree
  std::size_t num_nodes = 0;  ///< that they were learnt from
  std::size_t steps = 0;
  bool converged = false;
};

struct NetworkRidgeSummary {
  std::vector<ArmVariances> arms;  ///< of every arm; per fold where variances are learnt per fold
  std::string solver;
  std::size_t iterations = 0;  ///< of the iterative solver
  bool converged = true;       ///< of the equations
  double undersmoothing = 1;
};

/// μ_a(i): the predicted outcome of node i under arm a.
struct OutcomeTable {
  Matrix<double> mu;
  /// `mu` holds the limit where `bounded`, otherwise what was predicted. Networks are bounded.
  /// Linear models are not: their variance belongs to the predictions as they are.
  std::vector<ImplausiblePrediction> implausible;
  bool bounded = false;
  /// nullptr where the model is not linear in the outcomes, or given by the user.
  std::shared_ptr<const FitVariance> variance;
  /// A linear model whose penalty shrinks predictions, which biases the direct method: the bias is
  /// estimated from the implied weights.
  bool is_penalised = false;
  /// Ridge only: the penalty of task t and arm a, on the scaled features, at t·arms + a. Infinite
  /// where the mean of the arm predicts best.
  std::vector<double> chosen_strengths;
  /// Network ridge only.
  std::shared_ptr<const NetworkRidgeSummary> network_ridge;
  /// Networks only: mean squared error on the held-out nodes of the selection splits.
  double selection_error = 0;
  std::vector<std::string> warnings;
};

/// Bounds of fitted propensities, arm by arm. Empty where they are given.
struct PropensityBounds {
  std::vector<double> low;
  std::vector<double> high;  ///< 1 − the lower bound of the other arms

  /// The same for every arm: [bound, 1 − bound].
  static PropensityBounds same(double bound, std::size_t num_arms);
  static PropensityBounds of(std::vector<double> low);

  double clamp(std::size_t arm, double e) const { return std::clamp(e, low[arm], high[arm]); }
  /// "0.01", or "0.0005 to 0.01" where arms differ.
  std::string lows_in_words() const;
  /// "within [0.01, 0.99]", or "above the bounds of their arms (0.0005 to 0.01)".
  std::string in_words() const;
};

/// An absolute bound where one is `given`. Otherwise 0.01, or a tenth of the arm's share of the
/// data where that is less: in an arm of 0.5 % all propensities are about 0.005, and a bound above
/// them would put all units off support.
PropensityBounds choose_propensity_bounds(const Dataset& data, AutoNumber given);

/// e_a(i) = P(T_i = a | covariates): the propensity of node i for arm a.
struct PropensityTable {
  Matrix<double> e;          ///< within the bounds where fitted
  Matrix<double> unbounded;  ///< before the bound; empty where they are given
  /// 1 where no comparable node received the arm (positivity_violations.hpp); empty: not known.
  Matrix<unsigned char> violates_positivity;
  PropensityBounds bounds;
  double clipped_fraction = 0;           ///< share of the nodes that the bounds moved
  std::vector<double> chosen_strengths;  ///< C of every task, on the scaled features
  std::vector<std::string> warnings;

  bool given() const { return unbounded.rows() == 0; }
};

/// The nuisances that a learner returns; only those that it learns.
struct Nuisances {
  std::optional<OutcomeTable> outcome;
  std::optional<PropensityTable> propensity;
  std::shared_ptr<const Balancer> balancer;
  /// Of encoders, one per fold.
  std::vector<FoldTraining> trainings;
};

/// Clips every probability to the bounds of its arm and keeps the unbounded ones. Rows of two arms
/// still sum to 1; those of more arms need not.
PropensityTable bound_propensities(Matrix<double> probability, PropensityBounds bounds,
                                   const Communicator& comm = Communicator::self());

/// The quantities that the cost of a fit depends on. Forecasts count operations by these and
/// multiply by rates that were measured on one core of a server; ./dev bench forecast compares them
/// with measured times.
struct FitSize {
  double nodes = 0;
  double entries = 0;  ///< nonzero entries of the features
  double columns = 0;
  double directed_edges = 0;
  double arms = 2;
  double largest_arm = 0;  ///< nodes
  double folds = 5;
  double selection_folds = 1;  ///< fits per fold to choose a penalty
  double threads = 1;

  /// The same with this fraction of the nodes.
  FitSize scaled(double share) const;
  FitSize without_network() const;
};

/// Learns nuisances from logged data: one class per learner, one entry of a Catalogue
/// (evaluate.hpp).
///
/// The tables have one row per scored node of the plan, in its order. A node's row comes from a
/// task that saw neither its treatment nor its outcome. Policies are not used. Throws
/// Error(kData) where the data does not allow a fit, and Cancelled when the observer asks to stop.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const = 0;
};

}  // namespace cone
