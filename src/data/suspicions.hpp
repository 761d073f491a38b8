#pragma once

#include <functional>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone::load {

/// Warnings about likely mistakes in the data, each one sentence with advice: single values far
/// from all others, codes for "missing" among numbers, duplicated lines, codes used as numbers,
/// copies of columns, an outcome with a heavy tail. Rules of thumb: they never change a result.
/// `leave_out(column)` returns the advice that excludes a column.
void note_suspicions(const Context& context,
                     const std::function<std::string(const std::string&)>& leave_out,
                     LoadedData& data);

}  // namespace cone::load
