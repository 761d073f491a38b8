#include "simulate/semi_synthetic.hpp"

#include <algorithm>
#include <cmath>

#include "cone/error.hpp"
#include "cone/simulate.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::size_t kUnitsPerPiece = 8192;
constexpr double kNonlinearScale = 3;

/// Calls body(edge, source, target) for every undirected edge in the order of the graph.
template <class Body>
void for_each_edge(const Graph& graph, const Body& body) {
  std::size_t edge = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    const std::span<const NodeIndex> neighbours = graph.neighbours(i);
    for (auto j = std::ranges::upper_bound(neighbours, i); j != neighbours.end(); ++j) {
      body(edge++, i, *j);
    }
  }
}

/// Factors of symmetric normalisation: 1/√s_i, 0 without neighbours.
std::vector<double> symmetric_factors(const std::vector<double>& strength) {
  std::vector<double> factors(strength.size());
  std::ranges::transform(strength, factors.begin(),
                         [](double s) { return s > 0 ? 1.0 / std::sqrt(s) : 0.0; });
  return factors;
}

/// Σ_j w_ij values_j with normalised weights.
std::vector<double> neighbour_sums(const Graph& graph, std::span<const double> edge_weights,
                                   Normalisation normalisation, std::vector<double> values) {
  std::vector<double> strength;
  std::vector<double> factors;
  if (normalisation != Normalisation::kNone) {
    strength.assign(graph.num_nodes(), 0.0);
    for_each_edge(graph, [&](std::size_t edge, NodeIndex i, NodeIndex j) {
      strength[i] += edge_weights[edge];
      strength[j] += edge_weights[edge];
    });
  }
  if (normalisation == Normalisation::kSymmetric) {
    factors = symmetric_factors(strength);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i];
  }
  std::vector<double> sums(graph.num_nodes(), 0.0);
  // Serial: a memory-bound pass over the edges, whose order fixes the rounding.
  for_each_edge(graph, [&](std::size_t edge, NodeIndex i, NodeIndex j) {
    sums[i] += edge_weights[edge] * values[j];
    sums[j] += edge_weights[edge] * values[i];
  });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (normalisation == Normalisation::kSymmetric) sums[i] *= factors[i];
    if (normalisation == Normalisation::kRow && strength[i] > 0) sums[i] /= strength[i];
  }
  return sums;
}

std::vector<double> mean_topics(MatrixView<const double> topics) {
  std::vector<double> centre(topics.cols(), 0.0);
  for (std::size_t i = 0; i < topics.rows(); ++i) {
    for (std::size_t k = 0; k < centre.size(); ++k) centre[k] += topics(i, k);
  }
  for (double& c : centre) c /= static_cast<double>(topics.rows());
  return centre;
}

/// contrast·r_i with mean 0 and sd 1 over the nodes; all 0 where it does not vary.
std::vector<double> standardised_contrast(MatrixView<const double> topics,
                                          std::span<const double> contrast) {
  std::vector<double> values(topics.rows());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = dot(topics.row(i), contrast);
  standardise(values);
  return values;
}

}  // namespace

void standardise(std::vector<double>& values) {
  const double centre = mean(values);
  const double sd = std::sqrt(variance(values, 0));
  for (double& v : values) v = sd > 0 ? (v - centre) / sd : 0.0;
}

Moments pooled_moments(const ArmValues& values) {
  const auto count = static_cast<double>(values.size() * values[0].size());
  double total = 0;
  for (const std::vector<double>& arm : values) total += sum(arm);
  const double centre = total / count;
  CompensatedSum squares;
  for (const std::vector<double>& arm : values) {
    for (const double v : arm) squares.add((v - centre) * (v - centre));
  }
  return {centre, std::sqrt(squares.value() / count)};
}

ArmValues arm_scores(const Context& context, const Graph& graph, MatrixView<const double> topics,
                     const HiddenState& hidden, const OutcomeOptions& options) {
  require(topics.rows() == graph.num_nodes(), "semi-synthetic: one row of topics per node");
  require(hidden.edge_weights.size() == graph.num_edges(), "semi-synthetic: one weight per edge");
  for (const NodeIndex centroid : hidden.centroids) {
    require(centroid < graph.num_nodes(), "semi-synthetic: a centroid is not a node");
  }
  const auto score_arm = [&](std::span<const double> centre) {
    std::vector<double> own(topics.rows());  // r_i·r̄^t
    context.for_each_range(own.size(), kUnitsPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) own[i] = dot(topics.row(i), centre);
    });
    std::vector<double> scores =
        neighbour_sums(graph, hidden.edge_weights, options.normalisation, own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      scores[i] = options.kappa1 * own[i] + options.kappa2 * scores[i];
    }
    return scores;
  };
  ArmValues scores = {score_arm(mean_topics(topics))};
  for (const NodeIndex centroid : hidden.centroids)
    scores.push_back(score_arm(topics.row(centroid)));
  return scores;
}

Matrix<double> logging_propensity(const ArmValues& scores, double scale) {
  Matrix<double> propensity(scores[0].size(), scores.size());
  for (std::size_t i = 0; i < propensity.rows(); ++i) {
    for (std::size_t a = 0; a < scores.size(); ++a) propensity(i, a) = scale * scores[a][i];
    softmax_arms(propensity.row(i));
  }
  return propensity;
}

Arm draw_arm(std::span<const double> propensity, double u) {
  double upper = 0;
  for (std::size_t arm = 1; arm < propensity.size(); ++arm) {
    upper += propensity[arm];
    if (u < upper) return static_cast<Arm>(arm);
  }
  return kControlArm;
}

std::vector<double> nonlinear_effect(const ArmValues& scores, MatrixView<const double> topics,
                                     std::span<const double> a, std::span<const double> b) {
  require(a.size() == topics.cols() && b.size() == topics.cols(), "contrast: one sign per topic");
  const std::vector<double> u = standardised_contrast(topics, a);
  const std::vector<double> v = standardised_contrast(topics, b);
  const double scale = kNonlinearScale * pooled_moments(scores).sd;
  std::vector<double> effect(u.size());
  for (std::size_t i = 0; i < effect.size(); ++i) effect[i] = scale * std::tanh(u[i] * v[i]);
  return effect;
}

ArmValues standardised_outcomes(ArmValues scores, std::span<const double> noise) {
  require(noise.size() == scores[0].size(), "semi-synthetic: one draw of noise per node");
  for (std::vector<double>& arm : scores) {
    for (std::size_t i = 0; i < noise.size(); ++i) arm[i] += noise[i];
  }
  const Moments moments = pooled_moments(scores);
  if (!(moments.sd > 0)) {
    Fault fault;
    fault.place.item = "outcomes";
    fault.what = "all simulated outcomes are equal and cannot be standardised";
    fault.advice = "use topics that vary between nodes, or raise --noise";
    throw Error(ErrorCode::kData, std::move(fault));
  }
  for (std::vector<double>& arm : scores) {
    for (double& v : arm) v = (v - moments.mean) / moments.sd;
  }
  return scores;
}

}  // namespace cone
