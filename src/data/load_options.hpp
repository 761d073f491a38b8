#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/csv.hpp"
#include "options/options.hpp"

namespace cone {

/// What becomes of a missing value.
enum class MissingPolicy {
  kRefuse,    ///< a fault per column
  kIndicate,  ///< the column's mean, and an indicator beside it; lines without a treatment or an
              ///< outcome are left out
  kDrop,      ///< lines with a missing value in any column that is used are left out
};

template <>
struct EnumNames<MissingPolicy> {
  static constexpr std::array<std::pair<MissingPolicy, std::string_view>, 3> kNames = {
      {{MissingPolicy::kRefuse, "refuse"},
       {MissingPolicy::kIndicate, "indicate"},
       {MissingPolicy::kDrop, "drop"}}};
};

/// How to read the table of nodes. Lists name columns; a name that ends in * stands for all columns
/// that begin so.
struct LoadOptions {
  std::string id;
  std::string treatment;
  std::string control;
  std::string outcome;
  std::vector<std::string> features;
  std::vector<std::string> ignore;
  std::vector<std::string> categories;
  std::vector<std::string> counts;
  MissingPolicy missing = MissingPolicy::kRefuse;
  std::string edges;
  CsvOptions csv;  ///< how the bytes are cut for the threads; never changes a result

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("id", self.id, "Column with the ids; without one, nodes are numbered from 1");
    visitor("treatment", self.treatment,
            "Column with what was done: 0 or 1, or labels of 2 to 16 arms");
    visitor("control", self.control,
            "Label of the control arm, where it is not 0, false, no, none or control");
    visitor("outcome", self.outcome, "Column with what came of it: a number");
    visitor("features", self.features, "Use only these columns as features (a,b,word_*)");
    visitor("ignore", self.ignore, "Leave these columns out");
    visitor("categories", self.categories, "Columns of numbers that are codes of categories");
    visitor(
        "counts", self.counts,
        "Columns that are counts of one kind, such as words: scaled by the row, not the column");
    visitor(
        "missing", self.missing,
        "Missing values: refuse; indicate (mean of the column, and an indicator); drop the line");
    visitor("edges", self.edges, "File with the edges, where it is not DATA/edges.csv");
  }
};

}  // namespace cone
