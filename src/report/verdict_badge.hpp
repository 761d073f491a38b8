#pragma once

#include <string>

#include "report/html.hpp"
#include "report/record_view.hpp"

namespace cone::report {

/// "not_shown" → "not shown".
std::string spell_verdict(std::string verdict);

/// The verdict of an entry that has one, before its sentence; empty for others.
Html verdict_badge(const RecordView& entry);

}  // namespace cone::report
