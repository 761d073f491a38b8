#include "simulate/numeric_worlds.hpp"

#include <cmath>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "simulate/simulation_items.hpp"

namespace cone {
namespace {

constexpr double kTreatmentStrength = 2;
constexpr double kEffectShare = 0.5;
constexpr double kTopicShare = 1.0 / 3;

}  // namespace

Matrix<double> draw_numeric_features(const Context& context, std::size_t num_nodes,
                                     std::uint64_t simulation) {
  Matrix<double> numeric_features(num_nodes, kNumNumericFeatures);
  for_each_item(context, Stream::kWorld, simulation, num_nodes, [&](std::size_t i, Rng& rng) {
    for (double& value : numeric_features.row(i)) value = rng.normal();
  });
  return numeric_features;
}

std::vector<double> nonlinear_confounder(MatrixView<const double> numeric_features) {
  const double wave_mean = std::exp(-2.0);  // E cos 2m
  const double wave_sd = std::sqrt((1 + std::exp(-8.0)) / 2 - wave_mean * wave_mean);
  std::vector<double> confounder(numeric_features.rows());
  for (std::size_t i = 0; i < confounder.size(); ++i) {
    const auto m = numeric_features.row(i);
    const double curve = (m[0] * m[0] - 1) / std::sqrt(2.0);
    const double threshold = m[1] > 0 ? 1 : -1;
    const double interaction = m[2] * m[3];
    const double wave = (std::cos(2 * m[4]) - wave_mean) / wave_sd;
    confounder[i] = 0.5 * (curve + threshold + interaction + wave);
  }
  return confounder;
}

std::vector<double> effect_modifier(MatrixView<const double> numeric_features, std::size_t arm) {
  std::vector<double> modifier(numeric_features.rows());
  for (std::size_t i = 0; i < modifier.size(); ++i) {
    const auto m = numeric_features.row(i);
    const double sign = m[arm % kNumNumericFeatures] > 0 ? 1 : -1;
    modifier[i] = sign * m[(arm + 1) % kNumNumericFeatures];
  }
  return modifier;
}

ArmValues nonlinear_logits(ArmValues scores, MatrixView<const double> numeric_features) {
  const std::vector<double> confounder = nonlinear_confounder(numeric_features);
  for (std::size_t arm = 1; arm < scores.size(); ++arm) {
    const double strength = arm % 2 == 1 ? kTreatmentStrength : -kTreatmentStrength;
    for (std::size_t i = 0; i < confounder.size(); ++i) scores[arm][i] += strength * confounder[i];
  }
  return scores;
}

ArmValues nonlinear_outcomes(ArmValues scores, MatrixView<const double> numeric_features) {
  const std::vector<double> confounder = nonlinear_confounder(numeric_features);
  const Moments moments = pooled_moments(scores);
  for (std::size_t arm = 0; arm < scores.size(); ++arm) {
    const std::vector<double> effect = arm == 0 ? std::vector<double>(confounder.size(), 0.0)
                                                : effect_modifier(numeric_features, arm);
    for (std::size_t i = 0; i < confounder.size(); ++i) {
      const double topics = moments.sd > 0 ? (scores[arm][i] - moments.mean) / moments.sd : 0.0;
      scores[arm][i] = kTopicShare * topics + confounder[i] + kEffectShare * effect[i];
    }
  }
  return scores;
}

ArmValues observed_scores(const Context& context, const Graph& graph,
                          MatrixView<const double> numeric_features, const OutcomeOptions& options,
                          std::uint64_t simulation) {
  const std::size_t n = graph.num_nodes();
  ArmValues scores;
  for (int arm = 0; arm < options.arms; ++arm) {
    Rng rng(context.seed(), Stream::kCentroid,
            simulation | (1ULL + static_cast<std::uint64_t>(arm)) << kItemBits);
    std::vector<double> direction(numeric_features.cols());
    for (double& d : direction) d = rng.normal();
    std::vector<double> own(n);
    for (std::size_t i = 0; i < n; ++i) own[i] = dot(numeric_features.row(i), direction);
    std::vector<double> neighbours(n, 0.0);
    for (NodeIndex i = 0; i < n; ++i) {
      for (const NodeIndex j : graph.neighbours(i)) neighbours[i] += own[j];
    }
    standardise(own);
    standardise(neighbours);
    for (std::size_t i = 0; i < n; ++i) {
      own[i] = 0.5 * (options.kappa1 * own[i] + options.kappa2 * neighbours[i]);
    }
    scores.push_back(std::move(own));
  }
  return scores;
}

}  // namespace cone
