#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "cone/context.hpp"

namespace cone {

/// Runs `count` long tasks concurrently, each on its own context with the seed and a part of the
/// threads of `context`. The context must have at least as many threads as there are tasks, and
/// must not be within a task already.
///
/// Pays where a task cannot use all threads (many short loops). Results are those of running one
/// task after the other. Progress is reported as one phase of this context, the mean over the
/// tasks; an observer that asks to stop stops all tasks.
void run_side_by_side(const Context& context, std::string_view phase, std::size_t count,
                      const std::function<void(std::size_t, const Context&)>& task);

}  // namespace cone
