#pragma once

#include <string>

#include "report/html.hpp"
#include "report/record_view.hpp"

namespace cone::report {

// Each part of a page is a function of one record (or two). Where the record has nothing for it,
// the part is empty.

/// What to make of it: sentences, values, gains, ranks.
Html answer_section(const RecordView& evaluation);
/// Warnings and verdicts in words.
Html doubt_section(const RecordView& evaluation);
/// The diagnostics as charts.
Html diagnostics_section(const RecordView& evaluation);
/// Every estimator's answer, policy by policy.
Html specification_section(const RecordView& evaluation);
/// What was evaluated, by what, with every option, and the command that does it again.
Html provenance_section(const RecordView& evaluation);

/// The command that runs the evaluation again; options at their defaults are left out.
std::string command_text(const RecordView& evaluation);

}  // namespace cone::report
