#pragma once

#include "cone/dataset.hpp"
#include "cone/record.hpp"

namespace cone::app {

/// Prints what was read, in one line, and the notes about it.
void print_summary(const EvaluationRecord& record, const LoadedData& loaded);

}  // namespace cone::app
