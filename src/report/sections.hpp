#pragma once

#include <string>
#include <string_view>

#include "report/html.hpp"
#include "report/record_view.hpp"

namespace cone::report {

// Each part of a page is a function of one record (or two). Where the record has nothing for it,
// the part is empty.

/// What to make of it: sentences, values, gains, ranks.
Html answer_section(const RecordView& evaluation);
/// Ranks and all pairs of policies, of a record's decision.
Html rank_section(const RecordView& decision);
/// Warnings and verdicts in words.
Html doubt_section(const RecordView& evaluation);
/// The diagnostics as charts.
Html diagnostics_section(const RecordView& evaluation);
/// Every estimator's answer, policy by policy.
Html specification_section(const RecordView& evaluation);
/// What was evaluated, by what, with every option, and the command that does it again.
Html provenance_section(const RecordView& evaluation);

/// What differs between two evaluations.
Html changes_section(const RecordView& before, const RecordView& after);
/// What something hidden could do: a record of cone sensitivity.
Html sensitivity_section(const RecordView& sensitivity);
/// A learnt rule: a record of cone learn.
Html rule_section(const RecordView& rule);
/// The tables of a study, by its schema; see is_study.
Html study_section(const RecordView& study);
bool is_study(std::string_view schema);

/// The command that runs the evaluation again; options at their defaults are left out.
std::string command_text(const RecordView& evaluation);

}  // namespace cone::report
