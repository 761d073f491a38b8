#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cone/load.hpp"

#include "data/arm_labels.hpp"
#include "data/number.hpp"

namespace cone::load {
namespace {

using Label = LabelTally::Label;

bool is_number_label(const std::string& label) { return parse_label_number(label).has_value(); }

bool is_none(const std::string& label) { return lower_case(label) == "none"; }

/// 0, 1, True and False: the usual codes of two arms.
bool is_coded(const std::string& label) {
  return label == "0" || label == "1" || parse_truth_value(label).has_value();
}

bool may_be_control(const std::string& label) {
  const std::string lower = lower_case(label);
  return lower == "0" || lower == "false" || lower == "no" || lower == "none" || lower == "control";
}

const std::vector<std::string> kCodes = {"0", "1"};

/// Among numbers and truth values only, None is how Python writes a missing value.
bool none_means_missing(const std::vector<Label>& labels) {
  return std::all_of(labels.begin(), labels.end(), [](const Label& label) {
    return is_none(label.text) || is_number_label(label.text) || is_coded(label.text);
  });
}

/// True is 1 and False is 0.
std::vector<Label> join_coded(const std::vector<Label>& labels) {
  std::vector<Label> joined;
  for (std::size_t code = 0; code < kCodes.size(); ++code) {
    Label all{kCodes[code], {}};
    for (const Label& label : labels) {
      if (find_arm(kCodes, label.text) == code) all.cells.merge(label.cells);
    }
    if (all.cells.count > 0) joined.push_back(std::move(all));
  }
  return joined;
}

/// Numbers ascending, then texts by their bytes.
bool comes_before(const std::string& a, const std::string& b) {
  const std::optional<double> x = parse_label_number(a);
  const std::optional<double> y = parse_label_number(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  return x ? *x < *y : a < b;
}

/// "'email' (3 lines), 'sms' (2 lines) and 4 more", the most frequent first.
std::string found_values(const FaultTable& table, std::vector<Label> labels,
                         std::uint64_t num_unnamed) {
  constexpr std::size_t kShown = 4;
  std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) {
    return a.cells.count != b.cells.count ? a.cells.count > b.cells.count
                                          : comes_before(a.text, b.text);
  });
  std::string text;
  for (std::size_t k = 0; k < std::min(labels.size(), kShown); ++k) {
    text += fmt::format("{}'{}' ({} {})", k > 0 ? ", " : "", printable(labels[k].text),
                        grouped(labels[k].cells.count), table.row_word(labels[k].cells.count));
  }
  if (labels.size() <= kShown) return text;
  return text +
         fmt::format(" and {}{} more", num_unnamed > 0 ? "at least " : "", labels.size() - kShown);
}

std::string describe_none(const FaultTable& table, std::uint64_t count) {
  return fmt::format("'none' among numbers is read as missing ({} {})", grouped(count),
                     table.row_word(count));
}

/// The faults of a treatment column that does not define arms: the values found, and the reason.
class ArmFaults {
 public:
  ArmFaults(const FaultTable& table, std::size_t column, const LabelTally& tally, FaultList& faults)
      : table_(table), column_(column), tally_(tally), faults_(faults) {}

  void refuse_unusable() {
    const Tally& cells = tally_.unusable();
    faults_.add("arm label",
                {table_.cell(column_, cells), fmt::format("'{}' is not a label", cells.first_text),
                 fmt::format("a label is a short text in UTF-8, at most {} bytes",
                             LabelTally::kLongestLabel)});
  }

  /// `missing`: the cells without an arm.
  void refuse_single(const std::vector<Label>& labels, const Tally& missing) {
    std::string what = "only one arm is present";
    if (labels.size() == 1 && (labels[0].text == "0" || labels[0].text == "1")) {
      const bool treated = labels[0].text == "1";
      what += fmt::format(": {} treated, {} untreated", treated ? labels[0].cells.count : 0,
                          treated ? 0 : labels[0].cells.count);
    } else if (labels.size() == 1) {
      what += ": " + found_values(table_, labels, 0);
    } else if (labels.empty()) {
      return;  // nothing but faults of other kinds
    }
    if (missing.num_none > 0) {
      add({table_.column(column_), what + "; " + describe_none(table_, missing.num_none),
           none_advice(table_)});
      return;
    }
    add({table_.column(column_), std::move(what),
         "add nodes of every arm: an arm without observations cannot be evaluated"});
  }

  void refuse_many(const std::vector<Label>& labels) {
    const bool is_numeric = std::all_of(labels.begin(), labels.end(),
                                        [](const Label& l) { return is_number_label(l.text); });
    add({table_.column(column_),
         fmt::format("the treatment has more than {} values: {}", kMaxArms,
                     found_values(table_, labels, tally_.num_unnamed())),
         is_numeric ? "it looks like a continuous treatment: bin it into a few arms"
                    : "check the name of the treatment column, or merge rare arms"});
  }

  void refuse_letter_case(const Label& a, const Label& b) {
    add({table_.cell(column_, b.cells),
         fmt::format("the arms '{}' and '{}' differ only in letter case", printable(a.text),
                     printable(b.text)),
         "use one spelling"});
  }

  void refuse_unknown_control(const std::vector<Label>& labels, const std::string& control) {
    add({{.item = table_.is_file() ? "--control" : "control"},
         fmt::format("the treatment has no value '{}'", printable(control)),
         "it has " + found_values(table_, labels, 0)});
  }

  void ask_for_control(const std::vector<Label>& labels, const char* why) {
    add({table_.column(column_),
         fmt::format("the treatment has the values {}: {}", found_values(table_, labels, 0), why),
         table_.is_file() ? "name the control arm with --control LABEL" : "name the control arm"});
  }

 private:
  void add(Fault fault) { faults_.add("arms", std::move(fault)); }

  const FaultTable& table_;
  std::size_t column_;
  const LabelTally& tally_;
  FaultList& faults_;
};

/// The index of the control arm in `arms`, or nothing and a fault.
std::optional<std::size_t> find_control(const std::vector<Label>& arms, const std::string& control,
                                        ArmFaults& refuse) {
  if (!control.empty()) {
    std::vector<std::string> names;
    names.reserve(arms.size());
    for (const Label& arm : arms) names.push_back(arm.text);
    const std::optional<Arm> named = find_arm(names, control);
    if (named) return *named;
    refuse.refuse_unknown_control(arms, control);
    return std::nullopt;
  }
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < arms.size(); ++k) {
    if (may_be_control(arms[k].text)) candidates.push_back(k);
  }
  if (candidates.size() == 1) return candidates[0];
  if (candidates.size() > 1) {
    refuse.ask_for_control(arms, "more than one could be the control arm");
    return std::nullopt;
  }
  const bool has_text = std::any_of(arms.begin(), arms.end(),
                                    [](const Label& arm) { return !is_number_label(arm.text); });
  if (!has_text) return 0;  // in ascending order
  refuse.ask_for_control(arms, "none is called 0, false, no, none or control");
  return std::nullopt;
}

std::string arms_note(const FaultTable& table, const std::vector<Label>& arms, bool was_guessed) {
  std::string others;
  for (std::size_t a = 1; a < arms.size(); ++a) {
    others += fmt::format("{}'{}'", a > 1 ? ", " : "", printable(arms[a].text));
  }
  const char* how = "";
  if (was_guessed) {
    how = table.is_file() ? " (the smallest number; --control LABEL names another)"
                          : " (the smallest number)";
  }
  return fmt::format("the control arm is '{}'{}; the other{} {}", printable(arms[0].text), how,
                     arms.size() > 2 ? "s are" : " is", others);
}

}  // namespace

std::string none_advice(const FaultTable& table) {
  return fmt::format(
      "{} none makes it the control arm; to keep it as another arm, use another label, such as "
      "nothing",
      table.is_file() ? "--control" : "control");
}

std::optional<ArmChoice> choose_arms(const FaultTable& table, std::size_t column,
                                     const LabelTally& tally, const std::string& control,
                                     FaultList& faults, std::vector<std::string>& notes) {
  ArmFaults refuse(table, column, tally, faults);
  ArmChoice choice;
  choice.missing = tally.missing();
  choice.arm_of_label.assign(tally.labels().size(), LabelTally::kNone);
  if (tally.unusable().count > 0) refuse.refuse_unusable();

  std::vector<Label> arms;
  const bool none_is_missing = !is_none(control) && none_means_missing(tally.labels());
  for (const Label& label : tally.labels()) {
    if (none_is_missing && is_none(label.text)) {
      choice.missing.merge(label.cells);
      choice.missing.num_none += label.cells.count;
    } else {
      arms.push_back(label);
    }
  }
  const bool all_coded = std::all_of(arms.begin(), arms.end(),
                                     [](const Label& label) { return is_coded(label.text); });
  if (all_coded) arms = join_coded(arms);
  if (arms.size() < 2) {
    refuse.refuse_single(arms, choice.missing);
    return std::nullopt;
  }
  if (arms.size() > kMaxArms) {
    refuse.refuse_many(arms);
    return std::nullopt;
  }
  std::sort(arms.begin(), arms.end(),
            [](const Label& a, const Label& b) { return comes_before(a.text, b.text); });
  bool is_clear = true;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    for (std::size_t b = a + 1; b < arms.size(); ++b) {
      if (lower_case(arms[a].text) != lower_case(arms[b].text)) continue;
      refuse.refuse_letter_case(arms[a], arms[b]);
      is_clear = false;
    }
  }
  if (!is_clear) return std::nullopt;
  const std::optional<std::size_t> first = find_control(arms, control, refuse);
  if (!first) return std::nullopt;
  const bool was_guessed = control.empty() && !may_be_control(arms[*first].text);
  const auto control_arm = arms.begin() + static_cast<std::ptrdiff_t>(*first);
  std::rotate(arms.begin(), control_arm, control_arm + 1);
  for (const Label& arm : arms) choice.arms.push_back(arm.text);
  for (std::size_t k = 0; k < tally.labels().size(); ++k) {
    const std::string& label = tally.labels()[k].text;
    if (none_is_missing && is_none(label)) continue;
    choice.arm_of_label[k] = *find_arm(choice.arms, label);
  }
  if (choice.missing.num_none > 0) {
    notes.push_back(
        fmt::format("{}: {}", describe_none(table, choice.missing.num_none), none_advice(table)));
  }
  if (!has_plain_labels(choice.arms)) notes.push_back(arms_note(table, arms, was_guessed));
  return choice;
}

}  // namespace cone::load

namespace cone {

std::vector<std::string> choose_arms(std::span<const std::string> labels,
                                     const std::string& control) {
  load::LabelTally tally;
  for (std::size_t i = 0; i < labels.size(); ++i) tally.add(labels[i], i, "");
  const std::vector<std::string> header = {"treatment"};
  FaultList faults;
  std::vector<std::string> notes;
  const auto choice =
      load::choose_arms({"", header, labels.size()}, 0, tally, control, faults, notes);
  return choice ? choice->arms : std::vector<std::string>();
}

}  // namespace cone
