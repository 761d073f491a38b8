#include "report/labels.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

namespace cone::report {
namespace {

/// Offsets of the characters of a UTF-8 text, and its end.
std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (starts_character) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

std::string cut_middle(const std::string& text, std::size_t most) {
  const std::vector<std::size_t> starts = character_starts(text);
  const std::size_t count = starts.size() - 1;
  if (count <= most) return text;
  const std::size_t tail = (most - 1) / 2;
  const std::size_t head = most - 1 - tail;
  return text.substr(0, starts[head]) + "…" + text.substr(starts[count - tail]);
}

}  // namespace

std::vector<std::string> label_texts(std::span<const std::string> names, std::size_t most) {
  std::vector<std::string> labels;
  std::map<std::string, std::map<std::string, std::size_t>> names_of;  // by label, in their order
  for (const std::string& name : names) {
    labels.push_back(cut_middle(name, most));
    auto& alike = names_of[labels.back()];
    alike.emplace(name, alike.size() + 1);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto& alike = names_of[labels[i]];
    if (alike.size() == 1) continue;
    const std::string number = fmt::format(" ({})", alike.at(names[i]));
    labels[i] = cut_middle(names[i], most - number.size()) + number;
  }
  return labels;
}

}  // namespace cone::report
