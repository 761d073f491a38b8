#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "cone/context.hpp"

namespace cone {

/// Runs `count` long tasks at the same time, each on a context of its own that has the seed and a
/// share of the threads of this one. The context must have as many threads as there are tasks, and
/// must not be within a task already.
///
/// Worth it where a task cannot use all threads: many short loops. Results are the same as those of
/// one task after the other. What the tasks report adds up to one phase of this context, with the
/// mean of their shares as done; an observer that asks to stop stops them all.
void run_side_by_side(const Context& context, std::string_view phase, std::size_t count,
                      const std::function<void(std::size_t, const Context&)>& task);

}  // namespace cone
