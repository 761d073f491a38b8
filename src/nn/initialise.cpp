#include "nn/initialise.hpp"

#include <cmath>

#include "base/random.hpp"

namespace cone::nn {

template <class Real>
void xavier_uniform(ParameterStore<Real>& parameters, TensorId id, std::size_t fan_in,
                    std::size_t fan_out, std::uint64_t seed) {
  const double limit = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
  Rng rng(seed, Stream::kInitialisation, id);
  const MatrixView<Real> tensor = parameters.value(id);
  for (std::size_t i = 0; i < tensor.rows(); ++i) {
    for (Real& value : tensor.row(i)) value = static_cast<Real>(rng.uniform(-limit, limit));
  }
}

template void xavier_uniform(ParameterStore<float>&, TensorId, std::size_t, std::size_t,
                             std::uint64_t);
template void xavier_uniform(ParameterStore<double>&, TensorId, std::size_t, std::size_t,
                             std::uint64_t);

}  // namespace cone::nn
