#include "simulate/bent_world.hpp"

#include <cmath>

#include "base/random.hpp"
#include "simulate/simulation_items.hpp"

namespace cone {
namespace {

constexpr double kTreatmentBend = 2;
constexpr double kEffectShare = 0.5;
constexpr double kTopicShare = 1.0 / 3;

}  // namespace

Matrix<double> draw_measurements(const Context& context, std::size_t num_nodes,
                                 std::uint64_t simulation) {
  Matrix<double> measurements(num_nodes, kNumMeasurements);
  for_each_item(context, Stream::kWorld, simulation, num_nodes, [&](std::size_t i, Rng& rng) {
    for (double& value : measurements.row(i)) value = rng.normal();
  });
  return measurements;
}

std::vector<double> shared_bend(MatrixView<const double> measurements) {
  const double wave_mean = std::exp(-2.0);  // E cos 2m
  const double wave_sd = std::sqrt((1 + std::exp(-8.0)) / 2 - wave_mean * wave_mean);
  std::vector<double> bend(measurements.rows());
  for (std::size_t i = 0; i < bend.size(); ++i) {
    const auto m = measurements.row(i);
    const double curve = (m[0] * m[0] - 1) / std::sqrt(2.0);
    const double threshold = m[1] > 0 ? 1 : -1;
    const double interaction = m[2] * m[3];
    const double wave = (std::cos(2 * m[4]) - wave_mean) / wave_sd;
    bend[i] = 0.5 * (curve + threshold + interaction + wave);
  }
  return bend;
}

std::vector<double> effect_bend(MatrixView<const double> measurements, std::size_t arm) {
  std::vector<double> bend(measurements.rows());
  for (std::size_t i = 0; i < bend.size(); ++i) {
    const auto m = measurements.row(i);
    const double sign = m[arm % kNumMeasurements] > 0 ? 1 : -1;
    bend[i] = sign * m[(arm + 1) % kNumMeasurements];
  }
  return bend;
}

ArmValues bent_logits(ArmValues scores, MatrixView<const double> measurements) {
  const std::vector<double> bend = shared_bend(measurements);
  for (std::size_t arm = 1; arm < scores.size(); ++arm) {
    const double strength = arm % 2 == 1 ? kTreatmentBend : -kTreatmentBend;
    for (std::size_t i = 0; i < bend.size(); ++i) scores[arm][i] += strength * bend[i];
  }
  return scores;
}

ArmValues bent_outcomes(ArmValues scores, MatrixView<const double> measurements) {
  const std::vector<double> bend = shared_bend(measurements);
  const Moments moments = pooled_moments(scores);
  for (std::size_t arm = 0; arm < scores.size(); ++arm) {
    const std::vector<double> effect =
        arm == 0 ? std::vector<double>(bend.size(), 0.0) : effect_bend(measurements, arm);
    for (std::size_t i = 0; i < bend.size(); ++i) {
      const double topics = moments.sd > 0 ? (scores[arm][i] - moments.mean) / moments.sd : 0.0;
      scores[arm][i] = kTopicShare * topics + bend[i] + kEffectShare * effect[i];
    }
  }
  return scores;
}

}  // namespace cone
