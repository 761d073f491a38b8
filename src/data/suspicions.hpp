#pragma once

#include <functional>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone::load {

/// What a unit would ask about after a look at the numbers, each as one sentence with advice:
/// single values far from all others, codes for "missing" among numbers, lines pasted twice, codes
/// taken for numbers, copies of columns, an outcome whose mean rests on few nodes. Rules of thumb:
/// they never change a result. `leave_out` says how to do without a column.
void note_suspicions(const Context& context,
                     const std::function<std::string(const std::string&)>& leave_out,
                     LoadedData& data);

}  // namespace cone::load
