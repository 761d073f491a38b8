#include "data/arm_labels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "data/number.hpp"

namespace cone {

std::string canonical_label(std::string_view text) {
  text = trimmed(text);
  const std::optional<double> number = parse_label_number(text);
  if (!number) return std::string(text);
  return fmt::format("{}", *number == 0 ? 0.0 : *number);
}

std::optional<double> parse_label_number(std::string_view text) {
  // Beyond 2^53 neighbouring whole numbers are one double: those are names (ids of campaigns).
  constexpr double kLargestExact = 9007199254740991;
  const ParsedNumber number = parse_number(text);
  const bool is_exact =
      number.kind == NumberKind::kFinite && std::abs(number.value) <= kLargestExact;
  return is_exact ? std::optional(number.value) : std::nullopt;
}

std::optional<Arm> find_arm(std::span<const std::string> arms, std::string_view label) {
  const std::string wanted = canonical_label(label);
  std::optional<Arm> found;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    if (arms[a] == wanted) return static_cast<Arm>(a);
    if (lower_case(arms[a]) == lower_case(wanted)) found = static_cast<Arm>(a);
  }
  if (found) return found;
  if (const std::optional<bool> truth = parse_truth_value(label)) {
    const auto coded = std::find(arms.begin(), arms.end(), *truth ? "1" : "0");
    if (coded != arms.end()) return static_cast<Arm>(coded - arms.begin());
  }
  return std::nullopt;
}

std::string list_arms(std::span<const std::string> arms) {
  std::string text;
  for (const std::string& arm : arms) {
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", printable(arm));
  }
  return text;
}

namespace load {

std::uint8_t LabelTally::code_of(std::string text, const Tally& cells) {
  const auto known = std::find_if(labels_.begin(), labels_.end(),
                                  [&](const Label& label) { return label.text == text; });
  if (known != labels_.end()) {
    known->cells.merge(cells);
    return static_cast<std::uint8_t>(known - labels_.begin());
  }
  if (labels_.size() == kMostLabels) {
    num_unnamed_ += cells.count;
    return kNone;
  }
  labels_.push_back({std::move(text), cells});
  return static_cast<std::uint8_t>(labels_.size() - 1);
}

std::uint8_t LabelTally::add(std::string_view text, std::uint64_t row, std::string_view id) {
  for (const auto& [spelling, code] : spellings_) {
    if (spelling != text) continue;
    ++labels_[code].cells.count;
    return code;
  }
  const Tally cell{
      .count = 1, .first_row = row, .first_text = printable(text), .first_id = printable(id)};
  const std::string_view label = trimmed(text);
  if (parse_number(label).kind == NumberKind::kMissing) {
    missing_.merge(cell);
    return kNone;
  }
  if (label.size() > kLongestLabel || text_problem(label) != nullptr ||
      parse_number(label).kind == NumberKind::kNotFinite) {
    unusable_.merge(cell);
    return kNone;
  }
  const std::uint8_t code = code_of(canonical_label(label), cell);
  if (code != kNone && spellings_.size() < kMostLabels) spellings_.emplace_back(text, code);
  return code;
}

std::array<std::uint8_t, LabelTally::kMostLabels> LabelTally::merge(const LabelTally& later) {
  std::array<std::uint8_t, kMostLabels> codes{};
  codes.fill(kNone);
  for (std::size_t k = 0; k < later.labels_.size(); ++k) {
    codes[k] = code_of(later.labels_[k].text, later.labels_[k].cells);
  }
  num_unnamed_ += later.num_unnamed_;
  missing_.merge(later.missing_);
  unusable_.merge(later.unusable_);
  return codes;
}

}  // namespace load
}  // namespace cone
