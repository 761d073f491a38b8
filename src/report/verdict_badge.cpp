#include "report/verdict_badge.hpp"

#include <algorithm>

namespace cone::report {

std::string spell_verdict(std::string verdict) {
  std::ranges::replace(verdict, '_', ' ');
  return verdict;
}

Html verdict_badge(const RecordView& entry) {
  const auto verdict = entry.find("verdict");
  if (!verdict) return {};
  // The class must be one of the style's, whatever the record says.
  const std::string word = verdict->text();
  const std::string_view style = word == "supported"     ? "supported"
                                 : word == "conditional" ? "conditional"
                                                         : "not-shown";
  return html("<b class=\"badge {}\">{}</b> ", style, spell_verdict(word));
}

}  // namespace cone::report
