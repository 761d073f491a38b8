#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/error.hpp"

#include "data/fault_table.hpp"

namespace cone {

/// A label once its spelling no longer matters: without surrounding spaces, and a number in its
/// shortest decimals, so that 1 and 1.0 are one label.
std::string canonical_label(std::string_view text);

/// The number that a label spells, where a double represents it exactly.
std::optional<double> parse_label_number(std::string_view text);

/// The arm that a user means: by its label, or the only one that differs in letter case. True and
/// False stand for 1 and 0 where these are the labels.
std::optional<Arm> find_arm(std::span<const std::string> arms, std::string_view label);

/// "'control', 'email', 'sms'", for messages.
std::string list_arms(std::span<const std::string> arms);

namespace load {

/// The labels of a treatment's column while it is read. Bounded, whatever the column holds.
class LabelTally {
 public:
  static constexpr std::size_t kMostLabels = 64;  // a column with more values does not name arms
  static constexpr std::size_t kLongestLabel = 200;
  /// The code of a cell without an arm: missing, not a label, or one of too many labels.
  static constexpr std::uint8_t kNone = 255;

  struct Label {
    std::string text;
    Tally cells;
  };

  /// Counts a cell and returns the code of its label.
  std::uint8_t add(std::string_view text, std::uint64_t row, std::string_view id);
  /// Appends the labels of a later part of the column; returns the code here of every code there.
  std::array<std::uint8_t, kMostLabels> merge(const LabelTally& later);

  /// The same for cells that were counted elsewhere, as labels() and missing() show them.
  std::uint8_t add(const Label& label) { return code_of(label.text, label.cells); }
  void add_missing(const Tally& cells) { missing_.merge(cells); }
  void add_unusable(const Tally& cells) { unusable_.merge(cells); }

  const std::vector<Label>& labels() const { return labels_; }  ///< by code
  std::uint64_t num_unnamed() const { return num_unnamed_; }    ///< cells of yet other labels
  const Tally& missing() const { return missing_; }
  const Tally& unusable() const { return unusable_; }  ///< not UTF-8, or too long to be a label

 private:
  std::uint8_t code_of(std::string text, const Tally& cells);

  std::vector<Label> labels_;
  std::vector<std::pair<std::string, std::uint8_t>> spellings_;  // of cells seen, bounded
  std::uint64_t num_unnamed_ = 0;
  Tally missing_, unusable_;
};

/// The arms that the labels stand for.
struct ArmChoice {
  std::vector<std::string> arms;  ///< the control arm first
  /// By code; LabelTally::kNone for a label that means a missing value.
  std::vector<std::uint8_t> arm_of_label;
  Tally missing;
};

/// How to keep "none" as a label where it would be read as a missing value.
std::string none_advice(const FaultTable& table);

/// Finds the arms: the control arm first, then numbers ascending, then texts by their bytes,
/// whatever the order of the rows. The control arm is `control` where given; else 0, false, no,
/// none or control, in any letter case, where one of them is there; else the smallest of numbers.
/// A fault where no rule applies, where there is one arm only, or more than kMaxArms.
std::optional<ArmChoice> choose_arms(const FaultTable& table, std::size_t column,
                                     const LabelTally& labels, const std::string& control,
                                     FaultList& faults, std::vector<std::string>& notes);

}  // namespace load
}  // namespace cone
