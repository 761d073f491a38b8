#include "estimate/smoothing_bias.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/numeric.hpp"
#include "exec/statistics.hpp"

namespace cone {

std::optional<SmoothingBias> find_smoothing_bias(const Evidence& evidence) {
  const LoggedSample& sample = evidence.sample;
  const Communicator& comm = *sample.comm;
  if (evidence.implied == nullptr || evidence.outcome == nullptr) return std::nullopt;
  const std::vector<double>& weights = evidence.implied->weights;
  if (comm.any(weights.size() != sample.size())) return std::nullopt;
  const Matrix<double>& mu = evidence.outcome->mu;
  const double n = comm.count(sample.size());
  std::vector<double> centre;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    centre.push_back(mean(arm_column(mu.view(), static_cast<Arm>(a)), comm));
  }
  CompensatedSum bias;
  CompensatedSum squares;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Arm own = sample.arm[i];
    for (std::size_t a = 0; a < sample.num_arms(); ++a) {
      bias.add(-evidence.policy(i, a) * (mu(i, a) - centre[a]));
    }
    bias.add(weights[i] * (mu(i, own) - centre[own]));
    const double part = weights[i] * (sample.outcome[i] - mu(i, own));
    squares.add(part * part);
  }
  return SmoothingBias{.bias = comm.allreduce(bias.value()) / n,
                       .standard_error = std::sqrt(comm.allreduce(squares.value())) / n};
}

bool Estimate::is_oversmoothed() const {
  // The spread of the population's units says nothing about shrinkage.
  const double own_error =
      std::isfinite(sample_standard_error) ? sample_standard_error : standard_error;
  return smoothing_bias &&
         std::abs(smoothing_bias->bias) > std::max(own_error, 2 * smoothing_bias->standard_error);
}

}  // namespace cone
