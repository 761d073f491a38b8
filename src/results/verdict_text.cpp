#include "results/verdict_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cone {

std::string verdicts_text(const Diagnostics& diagnostics) {
  if (diagnostics.verdicts.empty()) return "";
  std::size_t width = 0;
  for (const NamedVerdict& v : diagnostics.verdicts) width = std::max(width, v.name.size());
  std::string text = "\ndiagnostics\n\n";
  for (const NamedVerdict& v : diagnostics.verdicts) {
    text += fmt::format("  {:<{}}  {:<7}  {}\n", v.name, width,
                        v.verdict.is_caution ? "caution" : "ok", v.verdict.sentence);
  }
  return text;
}

std::string caution_lines(const Diagnostics& diagnostics) {
  std::string text;
  for (const NamedVerdict& v : diagnostics.verdicts) {
    if (v.verdict.is_caution && v.is_news) text += fmt::format("! {}\n", v.verdict.sentence);
  }
  return text;
}

}  // namespace cone
