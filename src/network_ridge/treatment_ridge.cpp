#include "network_ridge/treatment_ridge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "exec/statistics.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/positivity_violations.hpp"

namespace cone {
namespace {

// Nodes to learn variances on.
constexpr std::size_t kTwoArmSample = 1500;
constexpr std::size_t kManyArmSample = 600;

/// The same rows with all nodes in one arm.
DistributedRows join_arms(const DistributedRows& rows, bool sees_network) {
  DistributedRows out = rows;
  out.arm_sizes = {rows.num_nodes};
  NeighbourLists lists;
  if (sees_network) {
    lists = *rows.lists;
  } else {
    out.num_edges = 0;
    lists.offsets.assign(rows.hash.size() + 1, 0);
  }
  lists.arm_offsets = lists.offsets;
  out.lists = std::make_shared<const NeighbourLists>(std::move(lists));
  return out;
}

/// One-versus-rest data of an arm: the indicator of the arm as outcome, and a single arm.
Dataset make_one_vs_rest(const Dataset& data, Arm arm, bool sees_network) {
  Dataset out;
  out.ids = data.ids;
  out.features = data.features;
  if (data.distributed) {
    out.distributed =
        std::make_shared<const DistributedRows>(join_arms(*data.distributed, sees_network));
  } else if (sees_network) {
    out.graph = data.graph;
  } else {
    out.graph = Graph(std::vector<std::uint64_t>(data.num_nodes() + 1, 0), {});
  }
  out.arms = {data.arms[arm]};
  out.treatment.assign(data.num_nodes(), 0);
  for (const Arm t : data.treatment) out.outcome.push_back(t == arm ? 1.0 : 0.0);
  return out;
}

}  // namespace

std::vector<double> calibrate(std::span<const double> score, std::span<const char> label,
                              const Communicator& comm) {
  const std::size_t n = score.size();
  const double centre = mean(score, comm);
  const double sd = std::sqrt(variance(score, 0, comm));
  double rate = 0;
  for (const char h : label) rate += h != 0 ? 1 : 0;
  rate = comm.allreduce(rate) / comm.count(n);
  double level = std::log(rate / (1 - rate));
  double slope = 0;
  constexpr int kMostSteps = 50;
  constexpr double kMostSlope = 8;  // a steeper slope is separation
  for (int step = 0; step < kMostSteps && sd > 0; ++step) {
    std::array<double, 5> sums{};  // gradient and Hessian, over all ranks
    auto& [g0, g1, h00, h01, h11] = sums;
    if (comm.rank() == 0) h11 = 1e-9;
    for (std::size_t i = 0; i < n; ++i) {
      const double z = (score[i] - centre) / sd;
      const double p = sigmoid(level + slope * z);
      const double w = p * (1 - p);
      const double r = (label[i] != 0 ? 1.0 : 0.0) - p;
      g0 += r;
      g1 += r * z;
      h00 += w;
      h01 += w * z;
      h11 += w * z * z;
    }
    comm.allreduce(sums);
    const double determinant = h00 * h11 - h01 * h01;
    if (!(determinant > 1e-12 * h00 * h11)) break;
    const double move0 = (h11 * g0 - h01 * g1) / determinant;
    const double move1 = (h00 * g1 - h01 * g0) / determinant;
    level += std::clamp(move0, -2.0, 2.0);
    slope = std::clamp(slope + std::clamp(move1, -2.0, 2.0), 0.0, kMostSlope);
    if (std::abs(move0) + std::abs(move1) < 1e-10) break;
  }
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = sigmoid(level + (sd > 0 ? slope * (score[i] - centre) / sd : 0.0));
  }
  return out;
}

TreatmentFit plan_treatment_fit(NetworkRidgeOptions options, std::uint64_t num_nodes,
                                std::size_t num_arms) {
  options.undersmoothing = 1;
  if (options.ridge_groups.empty()) {
    options.ridge_groups.assign(kGroupSwitches.begin(), kGroupSwitches.end());
  }
  std::erase(options.ridge_groups, kExponentialSwitch);  // probabilities do not multiply
  // The accuracy of the propensities depends little on the precision of the variances.
  const std::size_t most_nodes = num_arms == 2 ? kTwoArmSample : kManyArmSample;
  if (num_nodes > most_nodes && options.ridge_solver == RidgeSolverChoice::kDense) {
    options.ridge_solver = RidgeSolverChoice::kAuto;
  }
  return {std::move(options), most_nodes};
}

Matrix<double> combine_scores(std::span<const Arm> treatment, std::size_t num_arms,
                              const std::function<std::vector<double>(Arm)>& score,
                              const Communicator& comm) {
  Matrix<double> out(treatment.size(), num_arms);
  const bool is_binary = num_arms == 2;
  for (std::size_t a = is_binary ? 1 : 0; a < num_arms; ++a) {
    const auto arm = static_cast<Arm>(a);
    std::vector<char> label(treatment.size());
    for (std::size_t k = 0; k < label.size(); ++k) label[k] = treatment[k] == arm ? 1 : 0;
    const std::vector<double> probability = calibrate(score(arm), label, comm);
    for (std::size_t k = 0; k < probability.size(); ++k) out(k, a) = probability[k];
  }
  for (std::size_t k = 0; k < out.rows(); ++k) {
    if (is_binary) {
      out(k, 0) = 1 - out(k, 1);
      continue;
    }
    const double total = sum(out.row(k));
    for (double& p : out.row(k)) p /= total;
  }
  return out;
}

Matrix<double> predict_treatment(const Context& context, const Dataset& data, const FitPlan& plan,
                                 NetworkRidgeOptions options, bool sees_network) {
  return predict_treatment(context, data, plan, std::move(options), sees_network, nullptr);
}

Matrix<double> predict_treatment(const Context& context, const Dataset& data, const FitPlan& plan,
                                 NetworkRidgeOptions options, bool sees_network,
                                 std::shared_ptr<const NodeCommunities> communities) {
  const TreatmentFit fit =
      plan_treatment_fit(std::move(options), data.num_nodes_of_all(), data.num_arms());
  if (!communities && sees_network && asks_for(fit.options.ridge_groups, GroupKind::kCommunities)) {
    communities = std::make_shared<NodeCommunities>(find_node_communities(context, data));
  }
  const NetworkRidgeLearner learner(
      fit.options, {.most_nodes = fit.most_nodes, .communities = std::move(communities)});
  std::vector<Arm> treatment;
  treatment.reserve(plan.scored.size());
  for (const NodeIndex i : plan.scored) treatment.push_back(data.treatment[i]);
  return combine_scores(
      treatment, data.num_arms(),
      [&](Arm arm) {
        const Dataset one_vs_rest = make_one_vs_rest(data, arm, sees_network);
        const Nuisances found = learner.fit(context, one_vs_rest, plan);
        return arm_column(found.outcome->mu.view(), 0);
      },
      context.comm());
}

Nuisances NetworkTreatmentLearner::fit(const Context& context, const Dataset& data,
                                       const FitPlan& plan) const {
  require_valid(plan, data.num_nodes());
  require_every_arm(data, plan, context.comm());
  Nuisances out;
  out.propensity = bound_propensities(
      predict_treatment(context, data, plan, options_, /*sees_network=*/true, communities_),
      choose_propensity_bounds(data, propensity_bound_), context.comm());
  PositivityViolations violations = find_positivity_violations(context, data);
  out.propensity->violates_positivity = take_scored(violations, plan.scored);
  out.propensity->warnings = std::move(violations.sentences);
  return out;
}

}  // namespace cone
