#include "data/suspicions.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

constexpr std::size_t kUnits = 300;

/// Age (whole), income (skewed), score and number of children; the outcome is normal.
struct UnitsTable {
  std::vector<std::string> names = {"age", "income", "score", "children"};
  std::vector<std::vector<double>> rows;
  std::vector<double> outcome;
  std::vector<std::size_t> treatments;  ///< where rows beyond the first units have their own

  void add_column(const std::string& name, const std::vector<double>& values) {
    names.push_back(name);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(values[i]);
  }
  /// All warnings, one sentence per line.
  std::string suspicions() const {
    LoadedData data;
    data.observed.features.names = names;
    data.observed.features.num_dense = names.size();
    data.observed.features.matrix = testing::sparse_from_rows(rows);
    data.observed.outcome = outcome;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      data.observed.treatment.push_back(
          static_cast<Arm>(i < kUnits || treatments.empty() ? i % 2 : treatments[i - kUnits]));
    }
    data.observed.ids = IdTable::numbered(rows.size());
    load::note_suspicions(
        Context({.threads = 1}), [](const std::string& name) { return "--ignore " + name; }, data);
    std::string text;
    for (const std::string& note : data.notes) text += note + "\n";
    for (const std::string& doubt : data.warnings) text += doubt + "\n";
    return text;
  }
};

UnitsTable units() {
  UnitsTable table;
  Rng rng(91, Stream::kTest);
  for (std::size_t i = 0; i < kUnits; ++i) {
    table.rows.push_back({static_cast<double>(18 + rng.below(70)),
                          std::round(std::exp(10 + rng.normal())), rng.normal(),
                          static_cast<double>(rng.below(4))});
    table.outcome.push_back(rng.normal());
  }
  return table;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Suspicions, AreNoneAboutUsualNumbers) {
  UnitsTable table = units();
  EXPECT_EQ(table.suspicions(), "");
  for (double& y : table.outcome) y = y > 0.5 ? 1 : 0;
  EXPECT_EQ(table.suspicions(), "");
  for (auto& row : table.rows) row = {std::floor(row[0] / 20), row[3]};
  table.names = {"decade", "children"};
  EXPECT_EQ(table.suspicions(), "") << "lines that are the same by chance";
}

TEST(Suspicions, NameAValueFarFromAllOthers) {
  UnitsTable table = units();
  table.rows[7][1] = 4e9;
  table.rows[9][2] = -50;
  EXPECT_TRUE(holds(table.suspicions(), "the feature income has the value 4000000000, far from"));
  EXPECT_TRUE(holds(table.suspicions(), "the feature score has the value -50, far from"));
  table = units();
  table.outcome[3] = 1e6;
  EXPECT_TRUE(holds(table.suspicions(), "the outcome has the value 1000000, far from"));
  EXPECT_TRUE(holds(table.suspicions(), "truncating a correct one changes the estimand"));
}

TEST(Suspicions, NameCodesForMissing) {
  for (const double code : {-999.0, 9999.0, -1.0}) {
    UnitsTable table = units();
    for (std::size_t i = 0; i < 8; ++i) table.rows[10 * i][0] = code;
    EXPECT_TRUE(holds(table.suspicions(), "the feature age is")) << code;
    EXPECT_TRUE(holds(table.suspicions(), "for 8 nodes, apart from all its other values")) << code;
  }
  UnitsTable table = units();
  for (auto& row : table.rows) row[3] -= 1;  // -1, 0, 1, 2: a scale
  EXPECT_EQ(table.suspicions(), "");
}

TEST(Suspicions, NameCodesAmongNumbersOfBothSignsAndAmongFewValues) {
  for (const double code : {-999.0, 9999.0, 99.0}) {
    UnitsTable table = units();
    for (std::size_t i = 0; i < 8; ++i) table.rows[10 * i][2] = code;
    EXPECT_TRUE(holds(table.suspicions(), "the feature score is")) << code;
    table = units();
    for (std::size_t i = 0; i < 90; ++i) table.outcome[3 * i] = code;
    EXPECT_TRUE(holds(table.suspicions(), "the outcome is")) << code;
    table = units();
    for (double& y : table.outcome) y = y > 0 ? 1 : 0;
    for (std::size_t i = 0; i < 5; ++i) table.outcome[30 * i] = code;
    EXPECT_TRUE(holds(table.suspicions(), "for 5 nodes, apart from all its other values")) << code;
  }
  UnitsTable table = units();  // refused, and don't know
  for (std::size_t i = 0; i < 8; ++i) table.rows[10 * i][0] = i < 5 ? -9 : -1;
  EXPECT_TRUE(holds(table.suspicions(), "the feature age is -9 for 5 nodes"));
  table = units();
  for (auto& row : table.rows) row[2] = std::round(8 * row[2]);  // -9 and -1 are among the others
  EXPECT_EQ(table.suspicions(), "");
}

TEST(Suspicions, NameDuplicatedTablesOfAnySize) {
  for (const std::size_t times : {2, 3, 5, 6, 7}) {
    for (const std::size_t num_pasted : {60, 150, 250, 285, 300}) {
      for (const bool is_coarse : {false, true}) {
        UnitsTable table = units();
        if (is_coarse) {
          if (num_pasted < kUnits) continue;  // as likely by chance
          for (auto& row : table.rows) row[1] = row[2] = 0;
          for (double& y : table.outcome) y = y > 0 ? 1 : 0;
        }
        for (std::size_t k = 1; k < times; ++k) {
          for (std::size_t i = 0; i < num_pasted; ++i) {
            const std::vector<double> row = table.rows[i];
            table.rows.push_back(row);
            table.treatments.push_back(i % 2);
            table.outcome.push_back(double{table.outcome[i]});
          }
        }
        EXPECT_TRUE(holds(table.suspicions(), "equal another node in everything but the id"))
            << num_pasted << " lines " << times << " times";
      }
    }
  }
}

TEST(Suspicions, NameDuplicatedLines) {
  for (const bool is_coarse : {false, true}) {
    UnitsTable table = units();
    if (is_coarse) {
      for (auto& row : table.rows) row[1] = row[2] = 0;
      for (double& y : table.outcome) y = y > 0 ? 1 : 0;
    }
    auto rows = table.rows;
    auto outcome = table.outcome;
    rows.insert(rows.end(), table.rows.begin(), table.rows.end());
    outcome.insert(outcome.end(), table.outcome.begin(), table.outcome.end());
    table.rows = rows;
    table.outcome = outcome;
    EXPECT_TRUE(holds(table.suspicions(), "600 of 600 nodes equal another node"));
  }
  UnitsTable table = units();
  for (std::size_t i = 0; i < 10; ++i) {  // some lines only
    table.rows[20 + 2 * i] = table.rows[2 * i];
    table.outcome[20 + 2 * i] = table.outcome[2 * i];
  }
  EXPECT_TRUE(holds(table.suspicions(), "20 of 300 nodes equal another node"));
}

TEST(Suspicions, NameCodesThatAreUsedAsNumbers) {
  Rng rng(92, Stream::kTest);
  std::vector<double> zip;
  std::vector<double> numbering;
  for (const NodeIndex i : rng.permutation(kUnits)) {
    zip.push_back(10000 + static_cast<double>(rng.below(80000)));
    numbering.push_back(500 + static_cast<double>(i));
  }
  UnitsTable table = units();
  table.add_column("home_zip", zip);
  EXPECT_TRUE(holds(table.suspicions(), "home_zip looks like a code"));
  EXPECT_TRUE(holds(table.suspicions(), "--ignore home_zip"));
  table = units();
  table.add_column("zipper", zip);
  EXPECT_EQ(table.suspicions(), "");
  table.add_column("member", numbering);
  EXPECT_TRUE(holds(table.suspicions(), "member looks like a code"));
}

TEST(Suspicions, NameIdsOfUnitsInSeveralRows) {
  constexpr std::size_t kTimes = 5;
  Rng rng(93, Stream::kTest);
  std::vector<double> even;    // 60 units of 5 rows
  std::vector<double> uneven;  // of 1 to 12 rows, which only the year shows
  std::vector<double> year;
  double unit = 0;
  for (std::size_t i = 0, left = 0; i < kUnits; ++i) {
    even.push_back(13 + 17 * static_cast<double>(i / kTimes));
    if (left == 0) {
      left = 1 + rng.below(12);
      unit += 1 + static_cast<double>(rng.below(5));
    }
    uneven.push_back(unit);
    year.push_back(1980 + static_cast<double>(--left));
  }
  UnitsTable table = units();
  table.add_column("nr", even);
  EXPECT_TRUE(holds(table.suspicions(),
                    "column 'nr' looks like the id of a unit observed in several rows (60 values "
                    "in 300 rows): if so, use --cluster nr"));
  EXPECT_TRUE(holds(table.suspicions(), "--ignore nr"));
  table = units();
  table.add_column("who", uneven);
  EXPECT_EQ(table.suspicions(), "");
  table.add_column("wave", year);
  EXPECT_TRUE(holds(table.suspicions(), "column 'who' looks like the id of a unit"));
  EXPECT_FALSE(holds(table.suspicions(), "'wave'"));
}

// Ages, counts, ratings, years and classes of all kinds, in tables of several sizes.
TEST(Suspicions, TakeNoOrdinaryColumnForAnIdOfUnits) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed, Stream::kTest);
    UnitsTable table;
    table.names = {"age", "visits", "rating", "born", "income", "grade", "group", "score"};
    const std::size_t num_rows = 300 + 100 * (seed % 5);
    for (std::size_t i = 0; i < num_rows; ++i) {
      table.rows.push_back(
          {static_cast<double>(18 + rng.below(60)), std::floor(std::exp(2 + 0.7 * rng.normal())),
           static_cast<double>(1 + rng.below(5)), static_cast<double>(1940 + rng.below(60)),
           1000 * std::round(std::exp(3.5 + 0.5 * rng.normal())),
           static_cast<double>(rng.below(100)), static_cast<double>(i % 7), rng.normal()});
      table.outcome.push_back(rng.normal());
    }
    EXPECT_FALSE(holds(table.suspicions(), "id of a unit")) << seed << table.suspicions();
  }
}

TEST(Suspicions, NameCopiesOfColumns) {
  UnitsTable table = units();
  std::vector<double> copy;
  for (const auto& row : table.rows) copy.push_back(7 - 0.01 * row[2]);
  table.add_column("again", copy);
  EXPECT_TRUE(holds(table.suspicions(), "again is a copy of score"));
  table.rows[5][4] += 1e-4;
  EXPECT_EQ(table.suspicions(), "");
}

TEST(Suspicions, NameAHeavyTailedOutcome) {
  UnitsTable table = units();
  for (double& y : table.outcome) y = std::exp(2.5 * y);
  EXPECT_TRUE(holds(table.suspicions(), "heavy-tailed outcome"));
  table = units();
  for (double& y : table.outcome) y = std::exp(y);
  EXPECT_EQ(table.suspicions(), "");
}

}  // namespace
}  // namespace cone
