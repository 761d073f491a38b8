#include "data/column_roles.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/csv.hpp"
#include "data/number.hpp"

namespace cone::load {
namespace {

/// Names of columns for the arms 0 and 1, in the order they are written.
struct PlainName {
  const char* name;
  Quantity quantity;
  const char* label;
};
constexpr std::array<PlainName, 5> kPlainNames = {{{"propensity", Quantity::kPropensity, "1"},
                                                   {"mu0", Quantity::kMu, "0"},
                                                   {"mu1", Quantity::kMu, "1"},
                                                   {"y0", Quantity::kTruth, "0"},
                                                   {"y1", Quantity::kTruth, "1"}}};

template <class Names>
bool contains(const Names& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Names that the user gave, resolved to columns once.
class Header {
 public:
  Header(const CsvFile& file, FaultList& faults) : file_(file), faults_(faults) {
    for (std::size_t j = 0; j < file.header().size(); ++j) index_.emplace(file.header()[j], j);
  }

  const std::string& name(std::size_t column) const { return file_.header()[column]; }
  std::size_t size() const { return file_.header().size(); }

  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) return std::nullopt;
    return found->second;
  }

  /// The only column of that name in any letter case.
  std::optional<std::size_t> find_in_any_case(std::string_view lower) const {
    if (const auto exact = find(lower)) return exact;
    std::optional<std::size_t> found;
    for (std::size_t j = 0; j < size(); ++j) {
      if (lower_case(name(j)) != lower) continue;
      if (found) return std::nullopt;
      found = j;
    }
    return found;
  }

  /// Columns that a flag's patterns name; a fault for a pattern without a match.
  std::vector<bool> matching(const std::vector<std::string>& patterns, const char* flag) const {
    std::vector<bool> matches(size(), false);
    for (const std::string& pattern : patterns) {
      bool found = false;
      if (pattern.ends_with('*')) {
        const std::string_view prefix = std::string_view(pattern).substr(0, pattern.size() - 1);
        for (std::size_t j = 0; j < size(); ++j) {
          if (!name(j).starts_with(prefix) || name(j).empty()) continue;
          matches[j] = found = true;
        }
      } else if (const auto column = find(pattern)) {
        matches[*column] = found = true;
      }
      if (!found) refuse_unknown(pattern, flag);
    }
    return matches;
  }

  void refuse_unknown(const std::string& given, const char* flag) const {
    const std::string nearest = closest_name(given, file_.header());
    faults_.add(flag, {{.file = file_.name(), .line = 1},
                       fmt::format("has no column '{}', named by {}", printable(given), flag),
                       nearest.empty() ? fmt::format("its columns are {}", some_names())
                                       : fmt::format("did you mean {}?", printable(nearest))});
  }

  Place place(std::size_t column) const {
    return {.file = file_.name(), .line = 1, .column = printable(name(column))};
  }

  std::string some_names() const {
    constexpr std::size_t kShown = 12;
    std::string text;
    for (std::size_t j = 0; j < std::min(size(), kShown); ++j) {
      text += (j > 0 ? ", " : "") + printable(name(j));
    }
    return size() > kShown ? fmt::format("{} and {} more", text, size() - kShown) : text;
  }

 private:
  const CsvFile& file_;
  FaultList& faults_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

/// A header of numbers is most likely the first record.
bool looks_like_data(const CsvFile& file) {
  return std::any_of(file.header().begin(), file.header().end(), [](const std::string& title) {
    return parse_number(title).kind == NumberKind::kFinite;
  });
}

struct WantedRole {
  const char* name;
  const char* flag;
  const char* advice;  ///< where no column has this role
};

std::optional<std::size_t> find_role(const CsvFile& file, const Header& header,
                                     const WantedRole& role, const std::string& given,
                                     FaultList& faults, std::vector<std::string>& notes) {
  const std::optional<std::size_t> usual = header.find_in_any_case(role.name);
  if (given.empty()) {
    if (usual || role.advice == nullptr) return usual;
    std::string advice = role.advice;
    if (looks_like_data(file)) {
      advice = "the first line looks like data: add a header line";
    } else if (const std::string near = closest_name(role.name, file.header()); !near.empty()) {
      advice = fmt::format("did you mean '{0}'? then give {1} {0}", printable(near), role.flag);
    }
    faults.add("column", {{.file = file.name(), .line = 1},
                          fmt::format("there is no column {}", role.name),
                          std::move(advice)});
    return std::nullopt;
  }
  const std::optional<std::size_t> column = header.find(given);
  if (!column) header.refuse_unknown(given, role.flag);
  if (column && usual && usual != column) {
    notes.push_back(
        fmt::format("{} names '{}', so the column '{}' is used as a feature; exclude it with "
                    "--ignore",
                    role.flag, printable(given), printable(header.name(*usual))));
  }
  return column;
}

/// One column cannot have two roles.
void check_distinct(const CsvFile& file, const ColumnRoles& roles, FaultList& faults) {
  std::vector<std::pair<std::size_t, const char*>> taken;
  if (roles.id) taken.emplace_back(*roles.id, "the id");
  if (roles.treatment) taken.emplace_back(*roles.treatment, "the treatment");
  if (const auto outcome = roles.find("outcome")) taken.emplace_back(*outcome, "the outcome");
  if (const auto weight = roles.find("weight")) taken.emplace_back(*weight, "the weight");
  if (roles.cluster) taken.emplace_back(*roles.cluster, "the cluster");
  for (std::size_t a = 0; a < taken.size(); ++a) {
    for (std::size_t b = a + 1; b < taken.size(); ++b) {
      if (taken[a].first != taken[b].first) continue;
      faults.add("column", {{.file = file.name(), .line = 1},
                            fmt::format("the column '{}' is named both as {} and as {}",
                                        printable(file.header()[taken[a].first]), taken[a].second,
                                        taken[b].second),
                            "name different columns"});
    }
  }
}

/// Keeps the columns that other options name, except optional ones that are features anyway.
/// `is_feature`: the columns that would be features without these options. Returns which are kept.
std::vector<bool> keep_columns(const Header& header, std::span<const KeptColumn> wanted,
                               const std::vector<bool>& taken, const std::vector<bool>& is_feature,
                               FaultList& faults, ColumnRoles& roles) {
  std::vector<bool> is_kept(header.size(), false);
  for (const KeptColumn& kept : wanted) {
    const auto column = header.find(kept.name);
    if (!column) {
      if (!kept.is_optional) header.refuse_unknown(kept.name, kept.flag.c_str());
    } else if (taken[*column]) {
      faults.add(kept.flag, {header.place(*column),
                             fmt::format("has another role, so {} cannot use it", kept.flag),
                             "name another column"});
    } else if (!is_kept[*column] && !(kept.is_optional && is_feature[*column])) {
      is_kept[*column] = true;
      roles.numbers.push_back({kept.name, *column, Quantity::kKept, ""});
    }
  }
  return is_kept;
}

/// The option that names a kept column.
std::string flag_that_keeps(std::span<const KeptColumn> wanted, const std::string& name) {
  const auto found = std::ranges::find(wanted, name, &KeptColumn::name);
  return found == wanted.end() ? "another option" : found->flag;
}

void check_pair(const CsvFile& file, const ColumnRoles& roles, const char* first,
                const char* second, FaultList& faults) {
  const bool has_first = roles.find(first).has_value();
  if (has_first == roles.find(second).has_value()) return;
  const char* present = has_first ? first : second;
  faults.add("pair",
             {{.file = file.name(), .line = 1},
              fmt::format("column {} is given without {}", present, has_first ? second : first),
              fmt::format("give both; if {0} is a feature, rename it, or exclude it with "
                          "--ignore {0}",
                          present)});
}

}  // namespace

const char* quantity_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::kPropensity:
      return "propensity";
    case Quantity::kMu:
      return "mu";
    case Quantity::kTruth:
      return "y";
    case Quantity::kWeight:
      return "weight";
    case Quantity::kOutcome:
    case Quantity::kKept:
      break;
  }
  return "outcome";
}

std::optional<NumberRole> given_role(std::string_view name) {
  for (const PlainName& plain : kPlainNames) {
    if (name == plain.name) return NumberRole{plain.name, 0, plain.quantity, plain.label};
  }
  for (const Quantity quantity : {Quantity::kPropensity, Quantity::kMu, Quantity::kTruth}) {
    const std::string prefix = std::string(quantity_name(quantity)) + ':';
    if (!name.starts_with(prefix)) continue;
    return NumberRole{std::string(name), 0, quantity, canonical_label(name.substr(prefix.size())),
                      true};
  }
  return std::nullopt;
}

std::optional<std::size_t> ColumnRoles::find(std::string_view role) const {
  for (const NumberRole& number : numbers) {
    if (role == number.name) return number.column;
  }
  return std::nullopt;
}

std::optional<ColumnRoles> assign_roles(const CsvFile& file, const LoadOptions& options,
                                        FaultList& faults, std::vector<std::string>& notes) {
  const Header header(file, faults);
  ColumnRoles roles;
  // A column called id need not hold one id per line; --ignore id says that it does not.
  if (!options.id.empty() || !contains(options.ignore, "id")) {
    roles.id = find_role(file, header, {"id", "--id", nullptr}, options.id, faults, notes);
  }
  roles.treatment = find_role(
      file, header,
      {"treatment", "--treatment",
       "add a column with the treatment of each node, such as 0 or 1, or name it with --treatment"},
      options.treatment, faults, notes);
  const auto outcome =
      find_role(file, header,
                {"outcome", "--outcome",
                 "add a numeric column with the outcome of each node, or name it with --outcome"},
                options.outcome, faults, notes);
  if (outcome) roles.numbers.push_back({"outcome", *outcome, Quantity::kOutcome, ""});
  if (!roles.treatment && !outcome) return std::nullopt;
  if (!roles.id) {
    notes.push_back(
        fmt::format("{} has no column id: nodes are numbered 1, 2, ... in the order of its lines",
                    printable(file.name())));
  }
  // By option only: a column that happens to be called weight or cluster may hold anything.
  const auto find_named = [&](const std::string& name, const char* flag) {
    const auto column = name.empty() ? std::nullopt : header.find(name);
    if (!name.empty() && !column) header.refuse_unknown(name, flag);
    return column;
  };
  const auto weight = find_named(options.weight, "--weight");
  if (weight) roles.numbers.push_back({"weight", *weight, Quantity::kWeight, ""});
  roles.cluster = find_named(options.cluster, "--cluster");
  check_distinct(file, roles, faults);

  const std::vector<bool> wanted = header.matching(options.features, "--features");
  std::vector<bool> ignored = header.matching(options.ignore, "--ignore");
  const std::vector<bool> categories = header.matching(options.categories, "--categories");
  const std::vector<bool> counts = header.matching(options.counts, "--counts");
  // A column listed in --features is a feature, whatever its name.
  const auto is_free = [&](std::size_t j) {
    return !ignored[j] && !wanted[j] && weight != j && roles.cluster != j;
  };
  for (const PlainName& plain : kPlainNames) {
    const auto column = header.find(plain.name);
    if (!column || !is_free(*column)) continue;
    roles.numbers.push_back({plain.name, *column, plain.quantity, plain.label});
  }
  for (std::size_t j = 0; j < header.size(); ++j) {
    std::optional<NumberRole> role = given_role(header.name(j));
    if (!role || !role->is_labelled || !is_free(j)) continue;
    role->column = j;
    roles.numbers.push_back(std::move(*role));
  }
  check_pair(file, roles, "mu0", "mu1", faults);
  check_pair(file, roles, "y0", "y1", faults);

  std::vector<bool> taken(header.size(), false);
  if (roles.id) taken[*roles.id] = true;
  if (roles.treatment) taken[*roles.treatment] = true;
  if (roles.cluster) taken[*roles.cluster] = true;
  for (const NumberRole& number : roles.numbers) taken[number.column] = true;
  if (header.name(0).empty() && !taken[0]) {
    taken[0] = true;
    notes.push_back(fmt::format("the first column of {} has no name: it is ignored as a row index",
                                printable(file.name())));
  }
  std::vector<bool> is_feature(header.size());
  for (std::size_t j = 0; j < header.size(); ++j) {
    is_feature[j] = !taken[j] && !ignored[j] && (options.features.empty() || wanted[j]);
  }
  const std::vector<bool> is_kept =
      keep_columns(header, options.kept, taken, is_feature, faults, roles);
  const auto conflict = [&](std::size_t j, const char* what) {
    faults.add("column", {{.file = file.name(), .line = 1, .column = printable(header.name(j))},
                          what,
                          "name it once"});
  };
  for (std::size_t j = 0; j < header.size(); ++j) {
    if (taken[j]) {
      // A pattern may match the column by accident; its exact name is a contradiction.
      if (contains(options.features, header.name(j)))
        conflict(j, "cannot be a feature: it has another role");
      if (contains(options.ignore, header.name(j)))
        conflict(j, "cannot be ignored: it has another role");
      continue;
    }
    if (const std::string lower = lower_case(header.name(j));
        lower != header.name(j) && given_role(lower)) {
      notes.push_back(
          fmt::format("the column '{}' is used as a feature; in lower case, {} is a reserved name",
                      printable(header.name(j)), lower));
    }
    if (wanted[j] && ignored[j]) conflict(j, "is named by --features and by --ignore");
    if (categories[j] && counts[j]) conflict(j, "is named by --categories and by --counts");
    if (is_feature[j] && is_kept[j] && wanted[j]) {
      notes.push_back(
          fmt::format("the column '{}' is not used as a feature, although --features names it, "
                      "because it is used by {}; to use it as both, add a copy under another name",
                      printable(header.name(j)), flag_that_keeps(options.kept, header.name(j))));
    }
    if (!is_feature[j] || is_kept[j]) continue;
    roles.features.push_back({j, counts[j]       ? FeatureRole::kCount
                                 : categories[j] ? FeatureRole::kCategory
                                                 : FeatureRole::kNumeric});
  }
  std::stable_partition(roles.features.begin(), roles.features.end(),
                        [](const FeatureColumn& f) { return f.role != FeatureRole::kCount; });
  return roles;
}

}  // namespace cone::load
