#include <algorithm>

#include <fmt/format.h>

#include "cone/learn_policy.hpp"

#include "base/text.hpp"
#include "data/number.hpp"
#include "policy_tree/rule_columns.hpp"

namespace cone {

std::vector<std::string> rule_column_kinds() { return enum_choices<ColumnKind>(); }

void LearnPolicyOptions::check(std::vector<Fault>& faults) const {
  network_ridge.check(faults);
  const std::vector<std::string> kinds = rule_column_kinds();
  for (const std::string& kind : ask_about) {
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    faults.push_back({{.item = "--ask-about"},
                      fmt::format("'{}' is none of them", printable(kind)),
                      fmt::format("choose from {}", fmt::join(kinds, ", "))});
  }
  if (dependence == Dependence::kShared) {
    faults.push_back({{.item = "--dependence shared"},
                      "is measured on residuals of an outcome model, and a rule has scores",
                      "choose another, or leave it out to take the largest"});
  }
  for (const std::string& text : cost) {
    const std::size_t at = text.rfind('=');
    const bool is_number =
        at != std::string::npos && at > 0 &&
        parse_number(std::string_view(text).substr(at + 1)).kind == NumberKind::kFinite;
    if (is_number) continue;
    faults.push_back({{.item = fmt::format("--cost {}", printable(text))},
                      "is not of the form LABEL=NUMBER",
                      "write for example --cost email=0.05"});
  }
}

}  // namespace cone
