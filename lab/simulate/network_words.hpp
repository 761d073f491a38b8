#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"
#include "cone/simulate.hpp"

#include "simulate/network.hpp"

namespace cone {

/// Topic mixtures of the nodes given their communities, nodes × topics.
Matrix<double> draw_topics(const Context& context, const NetworkOptions& options,
                           std::span<const std::uint32_t> community);

/// Word counts of the nodes given their topics, nodes × words.
SparseMatrix draw_words(const Context& context, const NetworkOptions& options,
                        MatrixView<const double> topics);

}  // namespace cone
