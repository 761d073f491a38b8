#include "data/outcome_direction.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cone/text.hpp"

namespace cone {
namespace {

/// Words that are as often good as bad (return, visit, time) are left out.
constexpr std::string_view kHarm =
    " absence absences absent absenteeism abuse accident accidents adverse anxiety arrest "
    "arrested arrests attrition bankrupt bankruptcy bleeding canceled cancellation "
    "cancellations cancelled cancer casualties churn churned churner complaint complaints "
    "complication complications convicted conviction cost costs crash crashes crime crimes "
    "damage damages days dead death deaths debt debts default defaulted defaults defect "
    "defects delay delayed delays depression died dies disability disease diseases dropout "
    "dropouts error errors evicted eviction exacerbation exacerbations expenditure expense "
    "expenses fail failed failure failures fatal fatalities fatality fraud harm "
    "hospitalisation hospitalisations hospitalised hospitalization hospitalizations "
    "hospitalized ill illness incarcerated incident incidents infected infection infections "
    "injured injuries injury insolvency late latency lateness loss losses malaria "
    "malnutrition mortality offence offences offense offenses outage outages overdose "
    "overdoses pain pollution poverty readmission readmissions readmit readmitted rearrest "
    "rearrested recidivism recurrence refund refunds rehospitalisation rehospitalization "
    "rejection relapse relapsed relapses reoffend reoffended seizure seizures severity sick "
    "sickness stillbirth stillbirths stress stroke strokes stunting suicide suicides symptom "
    "symptoms toxicity tumor tumour unemployed unemployment unsubscribe unsubscribed victim "
    "victims violence wait waiting ";

/// Beside one of these a word of harm does not say which direction is better: cost_saved,
/// days_to_relapse, weight_loss.
constexpr std::string_view kTurns =
    " active alive averted avoided benefit benefits decrease decreased detected free gained "
    "no non not prevented prevention recovered recovery reduced reduction saved saving "
    "savings since solved survival survived survivor to uninfected until weight without "
    "worked ";

/// `list`: words between spaces.
bool contains_word(std::string_view list, const std::string& word) {
  return list.find(' ' + word + ' ') != std::string_view::npos;
}

}  // namespace

std::string outcome_column(const LoadedData& data) {
  const auto found = std::ranges::find(data.columns, "outcome", &TableColumn::role);
  return found == data.columns.end() ? std::string() : found->name;
}

std::string direction_text(std::string_view outcome, bool lower_is_better) {
  const std::string_view direction = lower_is_better ? "lower is better" : "higher is better";
  if (outcome.empty() || lower_case(outcome) == "outcome") return std::string(direction);
  return fmt::format("{}, {}", printable(outcome), direction);
}

bool names_harm(std::string_view outcome) {
  const std::vector<std::string> words = split_name(outcome);
  const auto is_harm = [](const std::string& word) {
    return contains_word(kHarm, word) || word.ends_with("itis");
  };
  const auto turns = [](const std::string& word) { return contains_word(kTurns, word); };
  return std::ranges::any_of(words, is_harm) && std::ranges::none_of(words, turns);
}

std::optional<std::string> question_direction(std::string_view outcome,
                                              const DirectionOptions& direction) {
  if (direction.lower_is_better || !names_harm(outcome)) return std::nullopt;
  return fmt::format(
      "higher counts as better, and the outcome is called '{}': use --lower-is-better if lower is "
      "better, --no-lower-is-better if higher is",
      printable(outcome));
}

}  // namespace cone
