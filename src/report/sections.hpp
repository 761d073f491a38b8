#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// What there is to doubt about the answer, for right below it; empty where there is nothing.
Html warnings_box(const RecordView& evaluation);
/// The diagnostics as charts.
Html diagnostics_section(const RecordView& evaluation);
/// Every estimator's answer, policy by policy.
Html specification_section(const RecordView& evaluation);
/// What was evaluated, by what, with every option, and the command that does it again.
Html provenance_section(const RecordView& evaluation);

/// Why two evaluations may not be comparable.
struct RunDifferences {
  std::vector<std::string> sentences;
  bool has_other_outcome = false;  ///< their values must not share a chart
};
RunDifferences compare_runs(const RecordView& before, const RecordView& after);
/// What differs between two evaluations.
Html changes_section(const RecordView& before, const RecordView& after);
/// Whether the values of an evaluation or of a rule are net of costs.
bool takes_costs(const RecordView& record);
/// Where an analysis does not go with the main record of the page: other data, options or costs.
Html analysis_cautions(const RecordView& main, std::string_view main_name,
                       const RecordView& analysis);
/// What something hidden could do: a record of cone sensitivity.
/// `decision`: of the evaluation on the same page, if there is one.
Html sensitivity_section(const RecordView& sensitivity, const std::optional<RecordView>& decision,
                         const Html& cautions);
/// A learnt rule: a record of cone learn.
Html rule_section(const RecordView& rule, const Html& cautions);
/// The tables of a study, by its schema; see is_study.
Html study_section(const RecordView& study);
bool is_study(std::string_view schema);

/// The command that runs an evaluation again, word by word as a shell takes them. What the record
/// does not name is a word in capitals.
struct CommandText {
  std::vector<std::string> words;
  bool lacks_data = false;      ///< DATA
  bool lacks_policies = false;  ///< POLICIES.csv
  bool lacks_model = false;     ///< MODEL
};
/// Options at their defaults are left out.
CommandText command_text(const RecordView& evaluation);

}  // namespace cone::report
