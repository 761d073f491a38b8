#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/html.hpp"
#include "report/record_view.hpp"

namespace cone::report {

// Each section of a page is a function of one record (or two), empty where the record has nothing
// for it.

/// The decision: sentences, values, gains, ranks.
Html answer_section(const RecordView& evaluation);
/// Ranks and all pairs of policies, of a record's decision.
Html rank_section(const RecordView& decision);
/// Notes, passed diagnostics and assumptions.
Html doubt_section(const RecordView& evaluation);
/// Warnings and cautions about the answer, to be shown with it; empty without any.
Html warnings_box(const RecordView& evaluation);
/// The diagnostics as charts.
Html diagnostics_section(const RecordView& evaluation);
/// The estimates of all estimators by policy, and the budget curves.
Html specification_section(const RecordView& evaluation);
/// Data, options, versions, and the command that reproduces the run.
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
/// Warnings where an analysis differs from the main record of the page in data, options or costs.
Html analysis_cautions(const RecordView& main, std::string_view main_name,
                       const RecordView& analysis);
/// Sensitivity to unmeasured confounding: a record of cone sensitivity.
/// `decision`: of the evaluation on the same page, if there is one.
Html sensitivity_section(const RecordView& sensitivity, const std::optional<RecordView>& decision,
                         const Html& cautions);
/// A learnt rule: a record of cone learn.
Html rule_section(const RecordView& rule, const Html& cautions);
/// The tables of a study, by its schema; see is_study.
Html study_section(const RecordView& study);
bool is_study(std::string_view schema);
std::vector<std::string_view> study_schemas();

/// The shell command that reproduces an evaluation, word by word. What the record does not name is
/// a placeholder in capitals.
struct CommandText {
  std::vector<std::string> words;
  bool lacks_data = false;      ///< DATA
  bool lacks_policies = false;  ///< POLICIES.csv
  bool lacks_model = false;     ///< MODEL
};
/// Options at their defaults are left out.
CommandText command_text(const RecordView& evaluation);

}  // namespace cone::report
