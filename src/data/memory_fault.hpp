#pragma once

#include <cstddef>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"

namespace cone {

/// The message for a computation on this data that ran out of memory (std::bad_alloc): which of its
/// tables is the largest, and how to make it smaller.
Fault name_largest_table(const Context& context, const Dataset& data, std::size_t num_policies);

}  // namespace cone
