#pragma once

#include <cstddef>
#include <cstdint>

#include "cone/matrix.hpp"

#include "nn/parameter_store.hpp"

namespace cone::nn {

/// Xavier initialisation (Glorot and Bengio 2010, "Understanding the difficulty of training deep
/// feedforward neural networks"): uniform on ±√(6 / (fan_in + fan_out)). The fans are arguments,
/// not taken from the shape, because a tensor may hold several layers side by side. Drawn from
/// (seed, kInitialisation, id): the initial values of a tensor do not depend on the other tensors.
template <class Real>
void xavier_uniform(ParameterStore<Real>& parameters, TensorId id, std::size_t fan_in,
                    std::size_t fan_out, std::uint64_t seed);

}  // namespace cone::nn
