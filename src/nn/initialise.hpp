#pragma once

#include <cstddef>
#include <cstdint>

#include "cone/matrix.hpp"

#include "nn/parameter_store.hpp"

namespace cone::nn {

/// Xavier (Glorot and Bengio 2010): uniform on ±√(6 / (fan_in + fan_out)). The fans are given, not
/// read off the shape, because a tensor may hold several layers side by side. Drawn from
/// (seed, kInitialisation, id): a tensor's start does not depend on the others'.
template <class Real>
void xavier_uniform(ParameterStore<Real>& parameters, TensorId id, std::size_t fan_in,
                    std::size_t fan_out, std::uint64_t seed);

}  // namespace cone::nn
