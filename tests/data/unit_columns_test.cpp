// Columns of survey weights and clusters.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using testing::faults_of;
using Numbers = std::vector<double>;
using Groups = std::vector<std::uint32_t>;

LoadedData load_units(const std::string& text, const LoadOptions& options) {
  return load_dataset(Context({.threads = 2}), MemoryFiles({{"nodes.csv", text}}), options);
}

std::string first_units_fault(const std::string& text, const LoadOptions& options) {
  const auto faults = faults_of([&] { load_units(text, options); });
  return faults.empty() ? "none" : faults[0];
}

/// Ten lines; `weight` and `village` take turns.
std::string ten_lines(const std::vector<std::string>& weights,
                      const std::vector<std::string>& villages) {
  std::string text = "id,treatment,outcome,weight,village,x\n";
  for (std::size_t i = 0; i < 10; ++i) {
    text += fmt::format("n{},{},{},{},{},{}\n", i, i % 2, i * i % 7, weights[i % weights.size()],
                        villages[i % villages.size()], i * i * i % 11);
  }
  return text;
}

TEST(WeightColumn, IsAWeightOnlyWhereAnOptionNamesIt) {
  const std::string text = ten_lines({"1", "2.5", "4"}, {"1", "2", "5", "9"});
  const LoadedData plain = load_units(text, {});
  EXPECT_TRUE(plain.observed.weight.empty());
  EXPECT_EQ(plain.observed.features.names, (std::vector<std::string>{"weight", "village", "x"}));

  const LoadedData weighted = load_units(text, {.weight = "weight"});
  EXPECT_EQ(weighted.observed.weight, (Numbers{1, 2.5, 4, 1, 2.5, 4, 1, 2.5, 4, 1}));
  EXPECT_EQ(weighted.observed.features.names, (std::vector<std::string>{"village", "x"}));
  EXPECT_EQ(weighted.columns[3].role, "weight");
  EXPECT_NE(weighted.observed.checksum(),
            load_units(text, {.ignore = {"weight"}}).observed.checksum());

  // Any column can be one, also those that would otherwise be something else.
  const LoadedData other = load_units(text, {.weight = "x"});
  EXPECT_EQ(other.observed.weight[2], 8);
  EXPECT_EQ(other.observed.features.names, (std::vector<std::string>{"weight", "village"}));
}

TEST(WeightColumn, SaysWhatIsWrongWithIt) {
  const LoadOptions options{.weight = "weight"};
  EXPECT_EQ(first_units_fault(ten_lines({"1", "-2"}, {"a"}), options),
            "nodes.csv:3, column weight (n1): '-2' is a negative weight (5 of 10 lines have such a "
            "value, this one being the first); a survey weight is the number of population units "
            "that the node represents: 0 or more");
  EXPECT_NE(first_units_fault(ten_lines({"1", "many"}, {"a"}), options).find("is not a number"),
            std::string::npos);
  EXPECT_NE(first_units_fault(ten_lines({"1", "inf"}, {"a"}), options).find("is not finite"),
            std::string::npos);
  EXPECT_NE(
      first_units_fault(ten_lines({"1", ""}, {"a"}), options).find("missing in 5 of 10 lines"),
      std::string::npos);
  EXPECT_NE(first_units_fault(ten_lines({"0"}, {"a"}), options).find("every weight is 0"),
            std::string::npos);
  EXPECT_NE(
      first_units_fault(ten_lines({"1"}, {"a"}), {.weight = "wieght"}).find("did you mean weight"),
      std::string::npos);
  EXPECT_NE(first_units_fault(ten_lines({"1"}, {"a"}), {.weight = "outcome"})
                .find("is named both as the outcome and as the weight"),
            std::string::npos);
  EXPECT_NE(first_units_fault(ten_lines({"1"}, {"a"}), {.weight = "x", .features = {"x"}})
                .find("cannot be a feature: it has another role"),
            std::string::npos);
}

TEST(WeightColumn, LinesWithoutOneAreDroppedOnRequest) {
  const LoadedData data =
      load_units(ten_lines({"1", "", "3"}, {"a", "b"}),
                 {.weight = "weight", .cluster = "village", .missing = MissingPolicy::kDrop});
  EXPECT_EQ(data.observed.weight, (Numbers{1, 3, 1, 3, 1, 3, 1}));
  EXPECT_EQ(data.observed.cluster.size(), 7U);
}

TEST(ClusterColumn, TakesAnyLabelsInTheOrderOfAppearance) {
  const LoadedData words =
      load_units(ten_lines({"1"}, {"east", "west", "7"}), {.cluster = "village"});
  EXPECT_EQ(words.observed.cluster, (Groups{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(words.observed.features.names, (std::vector<std::string>{"weight", "x"}));
  EXPECT_EQ(words.columns[4].role, "cluster");
  ASSERT_FALSE(words.warnings.empty());
  EXPECT_NE(
      words.warnings[0].find("3 clusters: cluster-robust intervals are unreliable with so few"),
      std::string::npos);
}

TEST(ClusterColumn, IsTheSameHoweverTheFileIsCut) {
  std::string text = "treatment,outcome,village\n";
  Groups expected;
  for (std::uint32_t i = 0; i < 500; ++i) {
    text += fmt::format("{},{},place {}\n", i % 2, i * i % 7, i * 7 % 31);
    expected.push_back(i < 31 ? i : expected[i - 31]);
  }
  for (const std::size_t bytes : {64U, 500U, 1U << 20}) {
    const LoadedData data = load_units(text, {.cluster = "village", .csv = {.chunk_bytes = bytes}});
    EXPECT_EQ(data.observed.cluster, expected) << bytes;
  }
}

TEST(ClusterColumn, SaysWhatIsWrongWithIt) {
  EXPECT_NE(first_units_fault(ten_lines({"1"}, {"a", ""}), {.cluster = "village"})
                .find("missing in 5 of 10 lines"),
            std::string::npos);
  EXPECT_NE(first_units_fault(ten_lines({"1"}, {"a"}), {.cluster = "village"})
                .find("all nodes are in one cluster"),
            std::string::npos);
  EXPECT_NE(
      first_units_fault(ten_lines({"1"}, {"a", "b"}), {.weight = "weight", .cluster = "weight"})
          .find("is named both as the weight and as the cluster"),
      std::string::npos);
}

TEST(WeightColumn, ComesFromArraysToo) {
  const Numbers treatment = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const Numbers outcome = {1, 2, 3, 4, 5, 6, 7, 8, 9, 3};
  Numbers weight = {1, 2, 3, 1, 2, 3, 1, 2, 3, 0};
  std::vector<std::string> group = {"a", "b", "a", "b", "c", "c", "a", "b", "c", "c"};
  DatasetArrays arrays;
  arrays.treatment_numbers = treatment;
  arrays.outcome = outcome;
  arrays.weight = weight;
  arrays.cluster = group;
  const LoadedData data = make_dataset(Context(), arrays);
  EXPECT_EQ(data.observed.weight, weight);
  EXPECT_EQ(data.observed.cluster, (Groups{0, 1, 0, 1, 2, 2, 0, 1, 2, 2}));
  weight[3] = -1;
  group[4] = "";
  const std::vector<std::string> faults = faults_of([&] { make_dataset(Context(), arrays); });
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_NE(faults[0].find("row 4, column cluster"), std::string::npos) << faults[0];
  EXPECT_NE(faults[1].find("'-1' is a negative weight"), std::string::npos) << faults[1];
  arrays.weight = std::span<const double>(weight).first(4);
  EXPECT_EQ(faults_of([&] { make_dataset(Context(), arrays); }).size(), 1U);
}

TEST(WeightColumn, AppliesOnlyToCsvInput) {
  const auto faults = faults_of([] { refuse_table_options({.weight = "w", .cluster = "c"}); });
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_NE(faults[0].find("--weight"), std::string::npos);
  EXPECT_NE(faults[1].find("--cluster"), std::string::npos);
}

}  // namespace
}  // namespace cone
