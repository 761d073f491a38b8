// Adds two learners to the catalogue: outcomes and propensities by nearest neighbours. On simulated
// data with a nonlinear outcome, their estimates are printed beside those of ridge regression and
// the truth.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn.hpp"
#include "cone/load.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"

namespace {

using Nodes = std::vector<cone::NodeIndex>;

/// The k members of `candidates` with the features closest to those of the node.
Nodes find_nearest(const cone::Dataset& data, cone::NodeIndex node, const Nodes& candidates,
                   std::size_t k) {
  const auto features = [&](cone::NodeIndex i) { return data.features.matrix.row(i).dense; };
  std::vector<std::pair<double, cone::NodeIndex>> by_distance;
  for (const cone::NodeIndex other : candidates) {
    double squares = 0;
    for (std::size_t j = 0; j < features(node).size(); ++j) {
      squares += std::pow(features(node)[j] - features(other)[j], 2);
    }
    by_distance.emplace_back(squares, other);
  }
  k = std::min(k, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(k),
                    by_distance.end());
  Nodes nearest;
  for (std::size_t n = 0; n < k; ++n) nearest.push_back(by_distance[n].second);
  return nearest;
}

/// Predictions are means of neighbours' outcomes, which is linear in the outcomes: so the weight of
/// every outcome in the value of a policy is known, and the direct method has an interval.
class NeighbourWeights : public cone::FitVariance {
 public:
  /// `nearest`: of a row of the sample and an arm, the nodes whose outcomes are averaged.
  /// `residual`: one per node of the data.
  NeighbourWeights(std::vector<cone::NodeIndex> sample, std::vector<std::vector<Nodes>> nearest,
                   std::vector<double> residual)
      : sample_(std::move(sample)), nearest_(std::move(nearest)), residual_(std::move(residual)) {}

  std::vector<cone::ImpliedWeights> imply_weights(
      const cone::Context&,
      std::span<const cone::MatrixView<const double>> policies) const override {
    std::vector<cone::ImpliedWeights> out;
    for (const auto& policy : policies) {
      cone::ImpliedWeights& implied = out.emplace_back();
      implied.weights.assign(residual_.size(), 0);
      for (std::size_t row = 0; row < sample_.size(); ++row) {
        for (std::size_t arm = 0; arm < policy.cols(); ++arm) {
          const Nodes& nearest = nearest_[row][arm];
          const double share = policy(sample_[row], arm) / static_cast<double>(nearest.size());
          for (const cone::NodeIndex node : nearest) implied.weights[node] += share;
        }
      }
      for (std::size_t i = 0; i < residual_.size(); ++i) {
        implied.variance += std::pow(implied.weights[i] * residual_[i], 2);
      }
      implied.variance /= std::pow(static_cast<double>(sample_.size()), 2);
    }
    return out;
  }

 private:
  std::vector<cone::NodeIndex> sample_;
  std::vector<std::vector<Nodes>> nearest_;
  std::vector<double> residual_;
};

/// Outcome model: the mean outcome of the k nearest nodes that received the arm.
class NeighbourOutcomes : public cone::Learner {
 public:
  explicit NeighbourOutcomes(std::size_t k) : k_(k) {}

  cone::Nuisances fit(const cone::Context& context, const cone::Dataset& data,
                      const cone::FitPlan& plan) const override {
    cone::OutcomeTable table{.mu = cone::Matrix<double>(plan.scored.size(), data.num_arms())};
    std::vector<std::vector<Nodes>> nearest(plan.scored.size(),
                                            std::vector<Nodes>(data.num_arms()));
    // Of a node that no task scores (split protocol) it is not known: then there is no interval.
    std::vector<double> residual(data.num_nodes(), std::numeric_limits<double>::quiet_NaN());
    for (const cone::FitTask& task : plan.tasks) {  // one per fold
      const std::vector<std::size_t> rows = cone::find_rows(plan.scored, task.score);
      for (std::size_t arm = 0; arm < data.num_arms(); ++arm) {
        const Nodes members = cone::nodes_of_arm(data, task.fit, static_cast<cone::Arm>(arm));
        context.for_each_task("nearest neighbours", rows.size(), [&](std::size_t s) {
          Nodes& found = nearest[rows[s]][arm];
          found = find_nearest(data, task.score[s], members, k_);
          double sum = 0;
          for (const cone::NodeIndex node : found) sum += data.outcome[node];
          table.mu(rows[s], arm) = sum / static_cast<double>(found.size());
        });
      }
      for (std::size_t s = 0; s < rows.size(); ++s) {
        const cone::NodeIndex node = task.score[s];
        residual[node] = data.outcome[node] - table.mu(rows[s], data.treatment[node]);
      }
    }
    table.variance =
        std::make_shared<NeighbourWeights>(plan.scored, std::move(nearest), std::move(residual));
    cone::Nuisances out;
    out.outcome = std::move(table);
    return out;
  }

 private:
  std::size_t k_;
};

/// Propensities: the shares of the arms among the k nearest nodes, a little towards equal shares.
/// The library bounds them.
class NeighbourPropensities : public cone::Learner {
 public:
  explicit NeighbourPropensities(std::size_t k) : k_(k) {}

  cone::Nuisances fit(const cone::Context& context, const cone::Dataset& data,
                      const cone::FitPlan& plan) const override {
    cone::PropensityTable table{.e = cone::Matrix<double>(plan.scored.size(), data.num_arms())};
    for (const cone::FitTask& task : plan.tasks) {
      const std::vector<std::size_t> rows = cone::find_rows(plan.scored, task.score);
      context.for_each_task("nearest neighbours", rows.size(), [&](std::size_t s) {
        const Nodes nearest = find_nearest(data, task.score[s], task.fit, k_);
        const auto arms = static_cast<double>(data.num_arms());
        const double one = 1 / (static_cast<double>(nearest.size()) + arms);
        for (std::size_t arm = 0; arm < data.num_arms(); ++arm) table.e(rows[s], arm) = one;
        for (const cone::NodeIndex node : nearest) table.e(rows[s], data.treatment[node]) += one;
      });
    }
    cone::Nuisances out;
    out.propensity = std::move(table);
    return out;
  }

 private:
  std::size_t k_;
};

/// 1,500 nodes on a ring with two features. Both decide, not linearly, who is treated and what
/// comes of it; treatment adds 1 to the outcome.
cone::LoadedData simulate(const cone::Context& context) {
  const std::size_t n = 1500;
  std::mt19937 random(7);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  cone::Matrix<double> features(n, 2);
  cone::Matrix<double> truth(n, 2);
  std::vector<std::string> treatment;
  std::vector<double> outcome;
  std::vector<cone::Edge> edges;
  for (std::size_t i = 0; i < n; ++i) {
    features(i, 0) = uniform();
    features(i, 1) = uniform();
    const double distance = std::hypot(features(i, 0) - 0.5, features(i, 1) - 0.5);
    const double bump = std::exp(-8 * distance * distance);
    const std::size_t arm = uniform() < 0.2 + 0.6 * bump ? 1 : 0;
    truth(i, 0) = 3 * bump;
    truth(i, 1) = truth(i, 0) + 1;
    treatment.push_back(arm == 1 ? "1" : "0");
    outcome.push_back(truth(i, arm) + uniform() - 0.5);
    edges.push_back({static_cast<cone::NodeIndex>(i), static_cast<cone::NodeIndex>((i + 1) % n)});
  }
  cone::DatasetArrays arrays;
  arrays.treatment = treatment;
  arrays.outcome = outcome;
  arrays.numeric_features = std::as_const(features).view();
  arrays.edges = edges;
  cone::LoadedData data = cone::make_dataset(context, arrays);
  data.truth.emplace(std::move(truth));
  return data;
}

}  // namespace

int main() {
  try {
    const cone::Context context({.seed = 1, .threads = 1});
    const cone::LoadedData data = simulate(context);

    cone::EvaluateOptions options;
    options.catalogue.add({.name = "knn",
                           .version = "1, 10 neighbours",
                           .provides = {.outcome = true},
                           .make = [](const cone::LearnerRequest&) {
                             return std::make_unique<NeighbourOutcomes>(10);
                           }});
    options.catalogue.add({.name = "knn_share",
                           .version = "1, 50 neighbours",
                           .provides = {.propensity = true},
                           .make = [](const cone::LearnerRequest&) {
                             return std::make_unique<NeighbourPropensities>(50);
                           }});
    options.catalogue.add_estimator("dr_knn_both", cone::Method::kDoublyRobust,
                                    cone::LearnerId("knn"), cone::LearnerId("knn_share"),
                                    "doubly robust, both models by nearest neighbours");
    options.estimators = {"naive",  "dr_ridge",        "dm_knn",
                          "dr_knn", "snips_knn_share", "dr_knn_both"};
    std::fputs(cone::estimators_text(options.catalogue).c_str(), stdout);

    const std::vector<std::string> names = {"treat-all", "treat-none"};
    const auto policies = cone::resolve_policies(context, data.observed, names);
    const cone::EvaluationRecord record = cone::evaluate(context, data, policies, options);
    std::fputs(cone::evaluation_text(record).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "learner: %s\n", error.what());
    return 1;
  }
}
