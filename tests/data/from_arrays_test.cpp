// Datasets from arrays go through the same checks as files.
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using Names = std::vector<std::string>;

/// Arrays that stay where they are while DatasetArrays points to them.
struct Held {
  Names ids = {"ann", "bob", "eve", "joe"};
  Names labels = {"sms", "control", "email", "control"};
  std::vector<double> numbers;
  std::vector<double> outcome = {1, 2.5, -3, 4};
  Matrix<double> numeric{4, 2};
  Matrix<double> propensity{4, 2};
  Matrix<double> truth{4, 3};
  std::vector<std::uint64_t> offsets = {0, 2, 2, 3, 3};
  std::vector<std::uint32_t> columns = {1, 0, 1};
  std::vector<double> values = {2, 1, 0.5};
  std::vector<Edge> edges = {{0, 1}, {1, 0}, {2, 2}, {3, 0}};
  DatasetArrays arrays;

  Held() {
    const double x[] = {30, 0, 41, 7};
    for (std::size_t i = 0; i < 4; ++i) {
      numeric(i, 0) = x[i];
      numeric(i, 1) = i == 3 ? 0.25 : 0;
      propensity(i, 0) = 0.25;
      propensity(i, 1) = 0.5;
      truth(i, 0) = outcome[i];
      truth(i, 1) = outcome[i];
      truth(i, 2) = outcome[i];
    }
    connect();
  }
  void connect() {
    arrays.ids = ids;
    arrays.treatment = labels;
    arrays.treatment_numbers = numbers;
    arrays.outcome = outcome;
    arrays.numeric_features = numeric.view();
    arrays.numeric_feature_names = {"age", "height"};
    arrays.counts = {offsets, columns, values, 2, {"word one", "word two"}};
    arrays.propensity = {{"sms", "email"}, propensity.view()};
    arrays.truth = {{}, truth.view()};
    arrays.edges = edges;
  }
  LoadedData make() { return make_dataset(Context({.threads = 2}), arrays); }
  Names faults() {
    return testing::faults_of([&] { make(); });
  }
  std::string first_fault() {
    const Names all = faults();
    return all.empty() ? "none" : all[0];
  }
};

TEST(FromArrays, AreTheSameDatasetAsFromFiles) {
  const LoadedData from_files = testing::load_files(
      {{"nodes.csv",
        "id,treatment,outcome,propensity:sms,propensity:email,y:control,y:email,y:sms,age,height\n"
        "ann,sms,1,0.25,0.5,1,1,1,30,0\nbob,control,2.5,0.25,0.5,2.5,2.5,2.5,0,0\n"
        "eve,email,-3,0.25,0.5,-3,-3,-3,41,0\njoe,control,4,0.25,0.5,4,4,4,7,0.25\n"},
       {"edges.csv", "source,target\nann,bob\nbob,ann\neve,eve\njoe,ann\n"},
       {"feature_names.csv", "feature\nword one\nword two\n"},
       {"features.csv", "node,feature,value\nann,word two,2\nann,word one,1\neve,word two,0.5\n"}});
  Held held;
  const LoadedData data = held.make();
  EXPECT_EQ(data.observed.arms, (Names{"control", "email", "sms"}));
  EXPECT_EQ(data.observed.treatment, from_files.observed.treatment);
  EXPECT_EQ(data.observed.checksum(), from_files.observed.checksum());
  EXPECT_EQ(data.edges.num_self_loops, 1U);
  EXPECT_EQ(data.edges.num_merged, from_files.edges.num_merged);
  EXPECT_EQ(arm_column(data.truth->outcomes(), 2), (std::vector<double>{1, 2.5, -3, 4}));
  EXPECT_EQ(data.columns.back().role, "feature");
}

TEST(FromArrays, TakeNumbersAndNeighbourLists) {
  Held held;
  held.labels.clear();
  held.numbers = {1, 0, 1, 0};
  held.propensity = Matrix<double>(4, 1, 0.5);
  const std::vector<std::uint64_t> offsets = {0, 2, 3, 3, 4};
  const std::vector<NodeIndex> neighbours = {1, 3, 0, 0};
  held.connect();
  held.arrays.ids = {};
  held.arrays.propensity.arms.clear();
  held.arrays.truth = {};
  held.arrays.edges = {};
  held.arrays.neighbour_offsets = offsets;
  held.arrays.neighbours = neighbours;
  const LoadedData data = held.make();
  EXPECT_EQ(data.observed.arms, (Names{"0", "1"}));
  EXPECT_EQ(data.observed.ids[3], "3");
  EXPECT_EQ(data.observed.graph.num_edges(), 2U);
  EXPECT_EQ((*data.observed.propensity)(0, 1), 0.5);
}

TEST(FromArrays, KeepColumnsThatAreNotFeatures) {
  Held held;
  std::vector<NamedColumn> kept = {{"weight", {1, 2, 3, 4}}, {"price", {0.5, 0, 0.25, 1}}};
  held.arrays.kept = kept;
  const LoadedData data = held.make();
  ASSERT_NE(data.observed.find_kept("price"), nullptr);
  EXPECT_EQ(data.observed.find_kept("price")->values, kept[1].values);
  EXPECT_EQ(data.observed.features.names.size(), 4U);
  EXPECT_TRUE(data.observed.weight.empty());  // a name means nothing here
  kept[1].values[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(held.first_fault().find("row 2 (eve), column price: missing in this row"),
            std::string::npos);
  kept[1].values.pop_back();
  EXPECT_NE(held.first_fault().find("column price: has 3 rows where the outcome has 4"),
            std::string::npos);
}

TEST(FromArrays, FaultsSayTheRowAndTheColumn) {
  Held held;
  held.outcome[2] = std::numeric_limits<double>::quiet_NaN();
  held.outcome[3] = std::numeric_limits<double>::infinity();
  held.numeric(1, 0) = 1e101;
  held.propensity(0, 0) = 1.5;
  held.edges.push_back({1, 9});
  held.values[2] = std::numeric_limits<double>::infinity();
  held.connect();
  EXPECT_EQ(held.faults(),
            (Names{"row 2 (eve), column outcome: missing in this row; fill it in or drop the row",
                   "row 3 (joe), column outcome: 'inf' is not finite; give a finite number or drop "
                   "the row",
                   "row 0 (ann), column propensity:sms: '1.5' is not a probability; if these are "
                   "percentages, divide them by 100",
                   "row 1 (bob), column age: '1e+101' is too large to compute with; rescale the "
                   "column",
                   "row 2 (counts): inf in column 1 is not finite; correct the value",
                   "edge 4, column target: row 9 is out of range: there are 4 rows; number rows "
                   "from 0"}));
}

TEST(FromArrays, ArmsAreCheckedAsInFiles) {
  Held held;
  held.labels = {"a", "b", "a", "b"};
  held.connect();
  EXPECT_EQ(held.first_fault(),
            "column treatment: the treatment has the values 'a' (2 rows), 'b' (2 rows): none is "
            "called 0, false, no, none or control; name the control arm");
  held.labels = {"sms", "control", "email", ""};
  held.connect();
  EXPECT_EQ(held.first_fault(),
            "row 3 (joe), column treatment: missing in this row; fill it in or drop the row");
  held.labels = {"sms", "control", "email", "control"};
  held.connect();
  held.propensity(1, 0) = 0.75;
  EXPECT_EQ(held.first_fault(),
            "row 1 (bob), column propensity:email: the propensities add up to 1.25, more than 1; "
            "make the probabilities of all arms add up to 1");
  held.propensity(1, 0) = 0.5;
  EXPECT_EQ(held.first_fault(),
            "row 1 (bob), column propensity:email: the propensity is '0': the logged action had "
            "probability zero; check which arm the columns are meant for");
}

TEST(FromArrays, ArraysThatDoNotBelongTogetherAreRefused) {
  const auto fault_after = [](const auto& spoil) {
    Held held;
    spoil(held);
    held.connect();
    return held.first_fault();
  };
  EXPECT_EQ(fault_after([](Held& h) { h.labels.pop_back(); }),
            "column treatment: has 3 rows where the outcome has 4; give one row per node");
  EXPECT_EQ(fault_after([](Held& h) { h.ids[3] = "bob"; }),
            "row 3, column id: 'bob' is already in row 1; give every node one row");
  EXPECT_EQ(fault_after([](Held& h) { h.ids[0] = ""; }),
            "row 0, column id: is empty; give every row an id");
  EXPECT_EQ(fault_after([](Held& h) { h.columns[0] = 7; }),
            "row 0 (counts): column 7 is out of range: there are 2 columns; number columns from 0");
  EXPECT_EQ(fault_after([](Held& h) { h.columns[0] = 0; }),
            "row 0 (counts): column 0 occurs twice; call sum_duplicates() on the matrix first");
  EXPECT_NE(fault_after([](Held& h) { h.offsets[2] = 9; }).find("must be 5 numbers that ascend"),
            std::string::npos);
  EXPECT_NE(fault_after([](Held& h) {
              h.truth = Matrix<double>(4, 2);
            }).find("has 2 columns where the treatment has 3 arms"),
            std::string::npos);
  EXPECT_EQ(fault_after([](Held& h) { h.numbers = h.outcome; }),
            "column treatment: is given as labels and as numbers; give one of them");
  Held held;
  held.arrays.numeric_feature_names = {"age", "word one"};
  EXPECT_EQ(held.first_fault(), "feature 2: two columns are called 'word one'; rename one");
  EXPECT_EQ(testing::faults_of([] { make_dataset(Context({.threads = 1}), {}); }).size(), 2U);
}

TEST(FromArrays, LeaksAreFound) {
  Names labels;
  std::vector<double> outcome;
  Matrix<double> x(40, 1);
  for (int i = 0; i < 40; ++i) {
    labels.push_back(i * 7 % 3 == 0 ? "no" : i * 7 % 3 == 1 ? "a" : "b");
    outcome.push_back(i * i % 7);
    x(static_cast<std::size_t>(i), 0) = 3 * outcome.back() - 1;
  }
  DatasetArrays arrays;
  arrays.treatment = labels;
  arrays.outcome = outcome;
  arrays.numeric_features = x.view();
  EXPECT_EQ(testing::faults_of([&] { make_dataset(Context({.threads = 2}), arrays); }),
            Names{"column x0: the feature is a copy of the outcome; leave it out"});
}

}  // namespace
}  // namespace cone
