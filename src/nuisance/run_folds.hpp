#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cone/context.hpp"

namespace cone {

/// Calls fit(k, context) for every fold k, which take about equally long: one after the other on
/// all threads or, where there are at least as many threads as folds and the memory of a fold
/// (`bytes_per_fold`) is small, in parallel on a part of the threads each. Small data cannot use
/// many threads: an epoch is a sequence of loops of a few microseconds. Results are the same.
void run_folds(const Context& context, std::size_t num_folds, std::uint64_t bytes_per_fold,
               const std::function<void(std::size_t, const Context&)>& fit);

}  // namespace cone
