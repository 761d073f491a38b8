#include "joint_model/joint_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "exec/statistics.hpp"
#include "joint_model/joint_solve.hpp"
#include "joint_model/prediction_parts.hpp"
#include "joint_model/treatment_slope.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/learn_arm.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/network_ridge_variance.hpp"

namespace cone {
namespace {

// The slope counts as far as it is known: 1 − (kTrustedRatio·se/θ)², at least 0.
constexpr double kTrustedRatio = 3;
/// Of the standard deviation of the outcomes: a prediction that varies less has no slope.
constexpr double kLeastSpread = 0.1;
/// Of the variance of prediction errors: a ridge with less noise interpolates.
constexpr double kLeastNoise = 0.05;
constexpr double kLeastShare = 0.1;
constexpr double kSlopesDiffer = 0.01;

/// The plan with one more task, which learns from all nodes and scores none.
FitPlan add_whole_task(const FitPlan& plan, std::size_t num_nodes) {
  FitPlan out = plan;
  FitTask& whole = out.tasks.emplace_back();
  whole.fit.resize(num_nodes);
  std::iota(whole.fit.begin(), whole.fit.end(), NodeIndex{0});
  return out;
}

/// One arm of the model while it is fitted; all in units of the arm, by position.
struct ArmFit {
  JointArm summary;
  TreatmentSlope treatment;
  std::vector<double> received;
  std::vector<double> outcome;    ///< of the arm's positions
  std::vector<double> predicted;  ///< by outcomes alone, from all nodes
  /// By δ = 0, δ̂ and 1.
  std::array<std::vector<double>, 3> surprise;

  bool is_used() const { return summary.trust > 0; }
};

class JointFit {
 public:
  JointFit(const Context& context, const Dataset& data, const FitPlan& plan,
           const NetworkRidgeOptions& options, const OutcomeTable& outcome)
      : context_(context),
        data_(data),
        outcome_(outcome),
        ridge_(learn_outcomes(context, data, plan, options, outcome)),
        part_(*ridge_.parts.front()),
        inputs_(*ridge_.inputs),
        solution_(predict_outcomes(context, part_, data)),
        sample_(context, data, part_.system) {}

  JointModel run() {
    number_clusters();
    const std::size_t num_arms = data_.num_arms();
    for (std::size_t a = 0; a < num_arms; ++a) {
      const StageScope stage(context_, fmt::format("joint model of arm {}", data_.arms[a]),
                             share_before(a), share_before(a + 1));
      fit_arm(a);
    }
    if (num_arms > 2) centre_surprises();
    JointModel out{.comm = inputs_.comm};
    for (const ArmFit& arm : arms_) out.arms.push_back(arm.summary);
    out.without_noise = make_variant(0);
    out.with_noise = make_variant(1);
    const Variant all = make_variant(2);
    out.noise_range = all.change;
    for (std::size_t k = 0; k < out.noise_range.values().size(); ++k) {
      out.noise_range.values()[k] -= out.without_noise.change.values()[k];
    }
    return out;
  }

 private:
  using Variant = JointModel::Variant;

  // Shares of the time.
  static constexpr double kLearnt = 0.2;
  static constexpr double kPredicted = 0.25;

  double share_before(std::size_t arm) const {
    return kPredicted +
           (1 - kPredicted) * static_cast<double>(arm) / static_cast<double>(data_.num_arms());
  }

  static NetworkRidge learn_outcomes(const Context& context, const Dataset& data,
                                     const FitPlan& plan, NetworkRidgeOptions options,
                                     const OutcomeTable& outcome) {
    const StageScope stage(context, "outcomes", 0, kLearnt);
    const bool has_same_groups = options.ridge_variances == VarianceFits::kOnce;
    options.undersmoothing = 1;
    options.ridge_variances = VarianceFits::kOnce;
    return learn_network_ridge(context, data, add_whole_task(plan, data.num_nodes()), options,
                               {.kept = outcome.network_ridge,
                                .same_features = has_same_groups ? ridge_of(outcome) : nullptr});
  }

  static RidgeSolution predict_outcomes(const Context& context, const RidgePart& part,
                                        const Dataset& data) {
    const StageScope stage(context, "predictions", kLearnt, kPredicted);
    return solve_outcomes(context, part, data);
  }

  const Communicator& comm() const { return *inputs_.comm; }
  std::size_t whole_task() const { return part_.system.num_tasks() - 1; }

  void fit_arm(std::size_t a) {
    ArmFit& arm = arms_.emplace_back();
    arm.summary.arm = data_.arms[a];
    const std::size_t n = inputs_.num_nodes();
    const std::size_t begin = inputs_.arm_begin[a];
    const std::size_t end = inputs_.arm_begin[a + 1];
    const ArmModel& model = part_.system.arms[a];
    arm.received.assign(n, 0.0);
    std::fill(arm.received.begin() + static_cast<std::ptrdiff_t>(begin),
              arm.received.begin() + static_cast<std::ptrdiff_t>(end), 1.0);
    for (std::size_t p = begin; p < end; ++p) {
      arm.outcome.push_back((data_.outcome[inputs_.node_at[p]] - model.mean) / model.sd);
    }
    const auto network = predict_network_part(context_, ridge_, solution_, a);
    if (network) measure_network(a, *network, arm.summary);
    if (static_cast<double>(inputs_.arm_size_of_all(a)) <
        kLeastShare * static_cast<double>(inputs_.num_nodes_of_all())) {
      arm.summary.reason = "less than a tenth of the units received it";
      return;
    }
    const Matrix<double> predicted = predict_in_units(context_, part_.system, solution_, a);
    const std::vector<double> held_out = take_held_out(ridge_, predicted);
    for (std::size_t p = 0; p < n; ++p) arm.predicted.push_back(predicted(p, whole_task()));
    if (interpolates(arm, model, begin, held_out)) {
      arm.summary.reason = "the outcome model leaves almost no noise";
      return;
    }
    const Matrix<double> parts = split_prediction(context_, ridge_, solution_, a);
    arm.treatment = fit_treatment_slope(context_, {.inputs = ridge_.inputs,
                                                   .groups = part_.system.groups,
                                                   .sample = sample_,
                                                   .received = arm.received,
                                                   .predicted = held_out,
                                                   .parts = parts,
                                                   .network = network ? &*network : nullptr,
                                                   .cluster = cluster_,
                                                   .num_clusters = num_clusters_});
    arm.summary.slope = arm.treatment.slope;
    arm.summary.slope_error = arm.treatment.standard_error;
    arm.summary.equal_slopes_p = arm.treatment.equal_slopes_p;
    arm.summary.has_equal_slopes = arm.treatment.equal_slopes_p >= kSlopesDiffer;
    arm.summary.network_statistic = arm.treatment.network_statistic;
    if (residual_sd(arm.treatment.fixed, held_out, comm()) < kLeastSpread) {
      arm.summary.reason = "its predicted outcomes hardly vary";
      return;
    }
    if (!arm.treatment.converged || !solution_.converged) {
      arm.summary.reason = "the treatment model did not converge";
      return;
    }
    const double t = arm.summary.slope / arm.summary.slope_error;
    arm.summary.trust = std::max(0.0, 1 - kTrustedRatio * kTrustedRatio / (t * t));
    if (arm.summary.trust == 0) {
      arm.summary.reason = "its slope is not clear";
      return;
    }
    estimate_noise_share(a, arm);
    for (std::size_t k = 0; k < arm.surprise.size(); ++k) {
      if (k > 0 && model.noise_growth == 0) {
        arm.surprise[k] = arm.surprise[0];
        continue;
      }
      const JointSolution joint = solve_joint_model(context_, equations_of(a, k));
      if (!joint.converged) {
        arm.summary.trust = 0;
        arm.summary.reason = "the equations of treatment and outcome did not converge";
        return;
      }
      arm.surprise[k] = joint.surprise;
    }
  }

  JointEquations equations_of(std::size_t a, std::size_t variant) const {
    const ArmFit& arm = arms_[a];
    const std::array shares = {0.0, arm.summary.noise_share, 1.0};
    return {.outcomes = part_.system,
            .arm = a,
            .treatment = arm.treatment,
            .outcome = arm.outcome,
            .received = arm.received,
            .selected_noise = shares[variant]};
  }

  /// `predicted`: the contribution of the network's groups, held out.
  void measure_network(std::size_t a, std::span<const double> predicted, JointArm& out) const {
    const RidgeSystem& system = part_.system;
    const ArmModel& model = system.arms[a];
    double network = 0;
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
      if (is_network_group(system.groups[g].kind)) network += model.group_variances[g];
    }
    out.network_reliability = std::clamp(variance(predicted, 0, comm()) / network, 0.0, 1.0);
    // Variances are those of an average node. The network's groups are 0 at isolated nodes, whose
    // unmeasured confounders are not weaker for that.
    const double num_connected = comm().count(static_cast<std::size_t>(
        std::ranges::count_if(inputs_.degree, [](double degree) { return degree > 0; })));
    const double of_connected =
        network * static_cast<double>(inputs_.num_nodes_of_all()) / num_connected;
    out.network_share = of_connected / (of_connected + model.noise + model.noise_growth);
  }

  /// Whether noise is a negligible part of the squared prediction errors.
  bool interpolates(const ArmFit& arm, const ArmModel& model, std::size_t begin,
                    std::span<const double> held_out) const {
    std::array<double, 2> sums{};
    auto& [noise, squares] = sums;
    for (std::size_t i = 0; i < arm.outcome.size(); ++i) {
      const double error = arm.outcome[i] - held_out[begin + i];
      squares += error * error;
      noise += noise_of_position(model, inputs_.relative_degree[begin + i], 1);
    }
    comm().allreduce(sums);
    return noise < kLeastNoise * squares;
  }

  void number_clusters() {
    std::uint64_t count = 0;
    for (const std::uint32_t c : data_.cluster) count = std::max(count, std::uint64_t{c} + 1);
    num_clusters_ = comm().allreduce_max(count);
    if (num_clusters_ == 0) return;
    for (const NodeIndex i : inputs_.node_at) cluster_.push_back(data_.cluster[i]);
  }

  /// The share δ of noise that grows with the degree on which treatment depends: prior ½ ± ½,
  /// updated by the coefficient of (1 − e)·τ1·d/d̄ in the outcomes of the arm (a control function:
  /// Heckman 1979, "Sample selection bias as a specification error"), which estimates δ·θ.
  void estimate_noise_share(std::size_t a, ArmFit& arm) const {
    const ArmModel& model = part_.system.arms[a];
    const std::size_t begin = inputs_.arm_begin[a];
    if (model.noise_growth == 0) return;
    Matrix<double> f(inputs_.num_nodes(), 1);
    for (std::size_t i = 0; i < arm.outcome.size(); ++i) {
      const std::size_t p = begin + i;
      f(p, 0) =
          (1 - sigmoid(arm.treatment.index[p])) * model.noise_growth * inputs_.relative_degree[p];
    }
    const RidgeSolution solved = part_.solver->solve(
        context_, f, Matrix<double>(data_.num_arms() * RidgeSystem::kNumFixed, 1),
        std::vector<std::size_t>{whole_task()});
    CompensatedSum with_outcome;
    CompensatedSum information;
    for (std::size_t i = 0; i < arm.outcome.size(); ++i) {
      with_outcome.add(solved.x(begin + i, 0) * arm.outcome[i]);
      information.add(solved.x(begin + i, 0) * f(begin + i, 0));
    }
    std::array<double, 2> sums = {with_outcome.value(), information.value()};
    comm().allreduce(sums);
    // s⁻² is the information, ρ·s⁻² the product with the outcomes.
    const double slope = arm.summary.slope;
    const double precision = 4 + slope * slope * std::max(0.0, sums[1]);
    arm.summary.noise_share_error = 1 / std::sqrt(precision);
    arm.summary.noise_share = std::clamp((2 + slope * sums[0]) / precision, 0.0, 1.0);
  }

  /// Makes the surprises of all arms add up to 0 at every position, as those of a softmax do.
  void centre_surprises() {
    if (!std::ranges::all_of(arms_, &ArmFit::is_used)) return;
    for (std::size_t k = 0; k < arms_.front().surprise.size(); ++k) {
      for (std::size_t p = 0; p < inputs_.num_nodes(); ++p) {
        double total = 0;
        for (const ArmFit& arm : arms_) total += arm.surprise[k][p];
        for (ArmFit& arm : arms_) arm.surprise[k][p] -= total / static_cast<double>(arms_.size());
      }
    }
  }

  Variant make_variant(std::size_t variant) const {
    Variant out{Matrix<double>(data_.num_nodes(), data_.num_arms()),
                Matrix<double>(data_.num_nodes(), data_.num_arms())};
    for (std::size_t a = 0; a < arms_.size(); ++a) {
      const ArmFit& arm = arms_[a];
      if (!arm.is_used()) continue;
      const ArmModel& model = part_.system.arms[a];
      const std::vector<double> extrapolated = extrapolate(
          context_, equations_of(a, variant), *part_.solver, whole_task(), arm.surprise[variant]);
      for (std::size_t p = 0; p < extrapolated.size(); ++p) {
        const NodeIndex i = inputs_.node_at[p];
        const double predicted = arm.received[p] != 0
                                     ? data_.outcome[i]
                                     : model.mean + model.sd * (arm.predicted[p] + extrapolated[p]);
        out.change(i, a) = predicted - outcome_.mu(i, a);
        out.extrapolated(i, a) = model.sd * extrapolated[p];
      }
    }
    return out;
  }

  const Context& context_;
  const Dataset& data_;
  const OutcomeTable& outcome_;
  NetworkRidge ridge_;
  const RidgePart& part_;
  const RidgeInputs& inputs_;
  RidgeSolution solution_;
  TreatmentSample sample_;
  std::vector<std::uint32_t> cluster_;  ///< by position
  std::size_t num_clusters_ = 0;
  std::vector<ArmFit> arms_;
};

}  // namespace

JointModel fit_joint_model(const Context& context, const Dataset& data, const FitPlan& plan,
                           const NetworkRidgeOptions& options, const OutcomeTable& outcome) {
  require(outcome.mu.rows() == data.num_nodes(), "joint model: some nodes have no prediction");
  return JointFit(context, data, plan, options, outcome).run();
}

}  // namespace cone
