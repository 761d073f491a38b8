// Treatments with any labels: which arms there are, which of them is the control arm.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/arm_labels.hpp"
#include "data/dataset_folder.hpp"
#include "data/split.hpp"
#include "data/write.hpp"

namespace cone {
namespace {

using testing::faults_of;
using Names = std::vector<std::string>;
using Arms = std::vector<Arm>;

LoadedData load_nodes(const std::string& nodes, const LoadOptions& options = {}) {
  return load_dataset(Context({.threads = 2}), MemoryFiles({{"nodes.csv", nodes}}), options);
}

/// A table whose treatments are `labels`.
std::string with_labels(const Names& labels) {
  std::string text = "treatment,outcome\n";
  for (std::size_t i = 0; i < labels.size(); ++i) text += fmt::format("{},{}\n", labels[i], i);
  return text;
}

Names arms_of(const Names& labels, const LoadOptions& options = {}) {
  return load_nodes(with_labels(labels), options).observed.arms;
}

Names faults_of_labels(const Names& labels, const LoadOptions& options = {}) {
  return faults_of([&] { load_nodes(with_labels(labels), options); });
}

bool is_noted(const LoadedData& data, const std::string& part) {
  for (const std::string& note : data.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(Arms, TheControlArmIsKnownByItsName) {
  EXPECT_EQ(arms_of({"yes", "no"}), (Names{"no", "yes"}));
  EXPECT_EQ(arms_of({"sms", "Control", "email"}), (Names{"Control", "email", "sms"}));
  EXPECT_EQ(arms_of({"2", "10", "0", "1"}), (Names{"0", "1", "2", "10"}));
  EXPECT_EQ(arms_of({"sms", "None", "email"}), (Names{"None", "email", "sms"}));
  EXPECT_EQ(arms_of({"sms", "0", "email", "3"}), (Names{"0", "3", "email", "sms"}));
  EXPECT_EQ(arms_of({"maybe", "true", "false"}), (Names{"false", "maybe", "true"}));
}

TEST(Arms, NumbersWithoutAZeroBeginWithTheSmallest) {
  const LoadedData data = load_nodes(with_labels({"2", "1", "2"}));
  EXPECT_EQ(data.observed.arms, (Names{"1", "2"}));
  EXPECT_EQ(data.observed.treatment, (Arms{1, 0, 1}));
  EXPECT_TRUE(is_noted(data, "the control arm is '1' (the smallest number"));
}

TEST(Arms, TheControlArmCanBeNamed) {
  EXPECT_EQ(arms_of({"sms", "email"}, {.control = "email"}), (Names{"email", "sms"}));
  EXPECT_EQ(arms_of({"sms", "email"}, {.control = "SMS"}), (Names{"sms", "email"}));
  EXPECT_EQ(arms_of({"0", "1", "2"}, {.control = "2"}), (Names{"2", "0", "1"}));
  EXPECT_EQ(arms_of({"False", "True"}, {.control = "true"}), (Names{"1", "0"}));
  EXPECT_EQ(faults_of_labels({"sms", "email"}, {.control = "post"}),
            (Names{"--control: the treatment has no value 'post'; it has 'email' (1 line), 'sms' "
                   "(1 line)"}));
}

TEST(Arms, OneLabelHasManySpellings) {
  const LoadedData data = load_nodes(with_labels({"1.0", " 2 ", "0", "1", "2.00", "-0"}));
  EXPECT_EQ(data.observed.arms, (Names{"0", "1", "2"}));
  EXPECT_EQ(data.observed.treatment, (Arms{1, 2, 0, 1, 2, 0}));
}

TEST(Arms, SpellingsOfZeroAndOneHaveOneChecksum) {
  const std::string expected = load_nodes(with_labels({"0", "1", "1"})).observed.checksum();
  for (const Names& labels : {Names{"False", "True", "TRUE"}, Names{"0.0", "1", "true"}}) {
    const LoadedData data = load_nodes(with_labels(labels));
    EXPECT_EQ(data.observed.arms, (Names{"0", "1"}));
    EXPECT_EQ(data.observed.checksum(), expected);
    EXPECT_FALSE(is_noted(data, "control arm"));
  }
  EXPECT_NE(load_nodes(with_labels({"no", "yes", "yes"})).observed.checksum(), expected);
}

TEST(Arms, NoneIsAMissingValueAmongNumbers) {
  EXPECT_EQ(faults_of_labels({"0", "1", "None"}),
            (Names{"nodes.csv:4, column treatment: missing in this line; fill it in, or drop such "
                   "lines with --missing drop; 'none' among numbers is read as missing: --control "
                   "none makes it the control arm; to keep it as another arm, use another label, "
                   "such as nothing"}));
  // Other missing values are not labels.
  EXPECT_EQ(faults_of_labels({"0", "1", "NA"}),
            (Names{"nodes.csv:4, column treatment: missing in this line; fill it in, or drop such "
                   "lines with --missing drop"}));
  const LoadedData data =
      load_nodes(with_labels({"0", "None", "1"}), {.missing = MissingPolicy::kDrop});
  EXPECT_EQ(data.observed.treatment, (Arms{0, 1}));
  EXPECT_TRUE(is_noted(data, "'none' among numbers is read as missing (1 line): --control none"));
  EXPECT_FALSE(is_noted(
      load_nodes(with_labels({"0", "NA", "1"}), {.missing = MissingPolicy::kDrop}), "'none'"));
}

TEST(Arms, NoneWithOneNumberSaysHowToKeepIt) {
  EXPECT_EQ(faults_of_labels({"1", "none", "1", "None"}),
            (Names{"nodes.csv, column treatment: only one arm is present: 2 treated, 0 untreated; "
                   "'none' among numbers is read as missing (2 lines); --control none makes it the "
                   "control arm; to keep it as another arm, use another label, such as nothing"}));
  const LoadedData data = load_nodes(with_labels({"1", "none", "1"}), {.control = "none"});
  EXPECT_EQ(data.observed.arms, (Names{"none", "1"}));
  EXPECT_FALSE(is_noted(data, "is read as missing"));
}

TEST(Arms, ThatLookAlikeStayTwoWithAWarning) {
  const LoadedData data = load_nodes(with_labels({"control", "mail", "m\u0430il", "control"}));
  EXPECT_EQ(data.observed.num_arms(), 3U);
  ASSERT_EQ(data.warnings.size(), 1U);
  EXPECT_EQ(data.warnings[0],
            "two arm labels look alike but differ: 'mail' has U+0061 where 'm\u0430il' has U+0430; "
            "if they are the same arm, use one spelling");
  EXPECT_TRUE(load_nodes(with_labels({"control", "mail", "sms"})).warnings.empty());
}

TEST(Arms, WhatIsNoTreatmentIsRefused) {
  const auto first = [](const Names& labels) { return faults_of_labels(labels).at(0); };
  EXPECT_EQ(first({"a", "b", "b"}),
            "nodes.csv, column treatment: the treatment has the values 'b' (2 lines), 'a' (1 "
            "line): none is called 0, false, no, none or control; name the control arm with "
            "--control LABEL");
  EXPECT_NE(first({"no", "control", "x"}).find("more than one could be the control arm"),
            std::string::npos);
  EXPECT_EQ(first({"email", "email"}),
            "nodes.csv, column treatment: only one arm is present: 'email' (2 lines); add nodes of "
            "every arm: an arm without observations cannot be evaluated");
  EXPECT_EQ(first({"no", "Yes", "yes"}),
            "nodes.csv:4, column treatment: the arms 'Yes' and 'yes' differ only in letter case; "
            "use one spelling");
  Names many;
  for (int i = 0; i < 17; ++i) many.push_back(fmt::format("{}", i * 0.5));
  EXPECT_NE(first(many).find("more than 16 values: '0' (1 line), '0.5' (1 line)"),
            std::string::npos);
  EXPECT_NE(first(many).find("looks like a continuous treatment"), std::string::npos);
  many.pop_back();
  EXPECT_EQ(arms_of(many).size(), 16U);
  EXPECT_NE(first({"0", "1", std::string(201, 'x')}).find("is not a label"), std::string::npos);
  EXPECT_NE(first({"0", "1", "\xFF"}).find("is not a label"), std::string::npos);
}

TEST(Arms, AMillionLabelsAreRefusedWithinBounds) {
  load::LabelTally labels;
  for (int i = 0; i < 1'000'000; ++i) labels.add(std::to_string(i), 2, "");
  EXPECT_EQ(labels.labels().size(), load::LabelTally::kMostLabels);
  EXPECT_EQ(labels.num_unnamed(), 1'000'000 - load::LabelTally::kMostLabels);
}

TEST(Arms, DoNotDependOnTheOrderOfLinesOrTheirChunks) {
  const Names labels = {"sms", "control", "email", "sms", "email", "control"};
  const LoadedData expected = load_nodes(with_labels(labels));
  EXPECT_EQ(expected.observed.treatment, (Arms{2, 0, 1, 2, 1, 0}));
  for (const std::size_t chunk_bytes : {1, 9, 40}) {
    const LoadedData data = load_nodes(with_labels(labels), {.csv = {.chunk_bytes = chunk_bytes}});
    EXPECT_EQ(data.observed.treatment, expected.observed.treatment);
    EXPECT_EQ(data.observed.checksum(), expected.observed.checksum());
  }
  EXPECT_EQ(arms_of({"email", "sms", "control"}), expected.observed.arms);
}

constexpr const char* kGiven =
    "id,treatment,outcome,mu:control,mu:email,mu:sms,propensity:email,propensity:sms,"
    "y:control,y:email,y:sms\n"
    "a,control,1,10,11,12,0.25,0.5,1,2,3\n"
    "b,email,2,20,21,22,0.5,0.125,1,2,3\n"
    "c,sms,3,30,31,32,0.25,0.75,1,2,3\n";

TEST(Arms, GivenColumnsAndTruthGoByLabel) {
  const LoadedData data = load_nodes(kGiven);
  EXPECT_EQ(arm_column(data.observed.mu->view(), 0), (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(arm_column(data.observed.mu->view(), 2), (std::vector<double>{12, 22, 32}));
  EXPECT_EQ(arm_column(data.observed.propensity->view(), 0), (std::vector<double>{0.25, 0.375, 0}));
  EXPECT_EQ(arm_column(data.observed.propensity->view(), 1),
            (std::vector<double>{0.25, 0.5, 0.25}));
  EXPECT_EQ(arm_column(data.truth->outcomes(), 2), (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(data.observed.features.names.size(), 0U);
}

TEST(Arms, WrittenAndReadAgainTheyAreTheSame) {
  const LoadedData data = load_nodes(kGiven);
  const testing::TemporaryFolder folder;
  write_dataset(Context({.threads = 1}), folder.path() / "out", data.observed, &*data.truth);
  const LoadedData again = load_dataset(Context({.threads = 1}), folder.path() / "out");
  EXPECT_EQ(again.observed.arms, data.observed.arms);
  EXPECT_EQ(again.observed.checksum(), data.observed.checksum());
  EXPECT_EQ(arm_column(again.truth->outcomes(), 1), arm_column(data.truth->outcomes(), 1));
}

TEST(Arms, AreNotWrittenWhereTheControlArmWouldBeAnotherInSilence) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const Names& labels, const LoadOptions& options) {
    const LoadedData data = load_nodes(with_labels(labels), options);
    return faults_of([&] {
      write_dataset(Context({.threads = 1}), folder.path() / "out", data.observed, nullptr);
    });
  };
  EXPECT_NE(write({"0", "1", "2"}, {.control = "2"}).at(0).find("would give '0', '1', '2'"),
            std::string::npos);
  EXPECT_EQ(write({"0", "1"}, {.control = "1"}).size(), 1U);
  EXPECT_EQ(write({"none", "1"}, {.control = "none"}).size(), 0U) << "loading asks for --control";
  EXPECT_EQ(write({"0", "1", "2"}, {}).size(), 0U);
  EXPECT_EQ(write({"a", "b"}, {.control = "b"}).size(), 0U) << "loading asks for --control";
}

TEST(Arms, AnyTextIsALabelAndIsWrittenBack) {
  const LoadedData data = load_nodes(
      "treatment,outcome,\"y:a, b\",\"y:say \"\"hi\"\"\",y:c:d\n"
      "\"a, b\",1,1,2,3\n\"say \"\"hi\"\"\",2,1,2,3\nc:d,3,1,2,3\n",
      {.control = "c:d"});
  EXPECT_EQ(data.observed.arms, (Names{"c:d", "a, b", "say \"hi\""}));
  const testing::TemporaryFolder folder;
  write_dataset(Context({.threads = 1}), folder.path() / "out", data.observed, &*data.truth);
  const LoadedData again =
      load_dataset(Context({.threads = 1}), folder.path() / "out", {.control = "c:d"});
  EXPECT_EQ(again.observed.checksum(), data.observed.checksum());
  EXPECT_EQ(arm_column(again.truth->outcomes(), 0), (std::vector<double>{3, 3, 3}));
}

TEST(Arms, GivenColumnsThatDoNotFitAreRefused) {
  const auto first = [](const std::string& header, const std::string& cells) {
    const auto faults = faults_of([&] {
      load_nodes("treatment,outcome," + header + "\nno,1," + cells + "\nsms,2," + cells +
                 "\nemail,2," + cells + "\n");
    });
    return faults.empty() ? "none" : faults[0];
  };
  EXPECT_EQ(first("propensity", "0.5"),
            "nodes.csv, column propensity: is for arm 1, but the arms are 'no', 'email', 'sms'; "
            "name it propensity:LABEL with the label of its arm, or --ignore propensity");
  EXPECT_EQ(first("y:no,y:emial,y:sms", "1,1,1"),
            "nodes.csv, column y:emial: the data has no arm 'emial'; did you mean y:email?");
  EXPECT_EQ(first("mu:no,mu:sms", "1,1"),
            "nodes.csv: there is no column mu:email; give mu for every arm, or for none");
  EXPECT_EQ(first("propensity:sms,propensity:no", "0.25,0.5"),
            "nodes.csv: there is no column propensity:email; give the propensity of every arm; "
            "the control arm's may be omitted");
  EXPECT_EQ(first("propensity:sms,propensity:email,propensity:no", "0.25,0.5,0.125"),
            "nodes.csv:2, column propensity:no: the propensities add up to 0.875, not 1 (3 of 3 "
            "lines have such a value, this one being the first); make the probabilities of all "
            "arms add up to 1");
  EXPECT_EQ(
      first("propensity:sms,propensity:email", "0.75,0.5"),
      "nodes.csv:2, column propensity:email: the propensities add up to 1.25, more than 1 (3 of "
      "3 lines have such a value, this one being the first); make the probabilities of all arms "
      "add up to 1");
  EXPECT_EQ(first("propensity:sms,propensity:email", "0,0.5"),
            "nodes.csv:3, column propensity:sms: the propensity is '0': the logged action had "
            "probability zero; check which arm the columns are meant for");
  EXPECT_EQ(first("propensity:sms,propensity:email", "0.5,0.5"),
            "nodes.csv:2, column propensity:email: the propensity is '0': the logged action had "
            "probability zero; check which arm the columns are meant for");
}

TEST(Arms, AFeatureThatIsAnArmIsRefused) {
  const auto table = [](const auto& cell) {
    std::string text = "treatment,outcome,x\n";
    const Names labels = {"0", "1", "2"};
    for (int i = 0; i < 60; ++i) {
      text += fmt::format("{},{},{}\n", labels[i * 7 % 3], i * 11 % 17, cell(i * 7 % 3, i));
    }
    return text;
  };
  const auto first = [&](const auto& cell) {
    const auto faults = faults_of([&] { load_nodes(table(cell)); });
    return faults.empty() ? "none" : faults[0];
  };
  const std::string refused =
      "nodes.csv, column x: the feature is a copy of the treatment; leave it out with --ignore x";
  EXPECT_EQ(first([](int arm, int) { return arm == 1 ? 5 : 3; }), refused);
  EXPECT_EQ(first([](int arm, int) { return 10 - arm; }), refused);
  EXPECT_EQ(first([](int, int i) { return i * 13 % 19; }), "none");
  const LoadedData data =
      load_nodes(table([](int arm, int i) { return arm == 2 ? 50 + i % 7 : i % 5; }));
  ASSERT_EQ(data.warnings.size(), 1U);
  EXPECT_NE(data.warnings[0].find("separates one arm from all others"), std::string::npos);
}

TEST(Arms, SwappedTrueOutcomesAreWarnedOf) {
  const LoadedData data = load_nodes(
      "treatment,outcome,y:0,y:1,y:2\n0,1,2,1,3\n1,2,2,1,3\n2,3,2,1,3\n0,1,2,1,3\n1,2,2,1,3\n");
  ASSERT_EQ(data.warnings.size(), 1U);
  EXPECT_EQ(data.warnings[0],
            "the columns y:LABEL seem to be swapped: the outcome of most nodes is that of another "
            "arm");
}

TEST(Arms, EveryFoldHasItsShareOfEveryArm) {
  Names labels;
  for (int i = 0; i < 60; ++i) labels.push_back(i % 10 == 0 ? "sms" : i % 2 == 0 ? "no" : "email");
  const Dataset data = load_nodes(with_labels(labels)).observed;
  for (const auto& fold : make_folds(data, 5, true, 3)) {
    EXPECT_EQ(fold.size(), 12U);
    std::vector<int> sizes(3, 0);
    for (const NodeIndex i : fold) ++sizes[data.treatment[i]];
    EXPECT_NEAR(sizes[2], 6.0 / 5, 1);
    EXPECT_NEAR(sizes[1], 6, 1);
  }
  EXPECT_EQ(faults_of([&] { make_folds(data, 7, true, 3); }),
            (Names{"7 folds need at least as many nodes of arm 'sms', but there are 6; use fewer "
                   "folds (--folds, --selection-folds), add nodes, or drop the arm"}));
}

TEST(Arms, WholeNumbersBeyondDoublesAreNames) {
  const Names labels = {"0", "120210000000000011", "120210000000000012", "0", "1e0", "1"};
  const Dataset data = load_nodes(with_labels(labels)).observed;
  EXPECT_EQ(data.arms, (Names{"0", "1", "120210000000000011", "120210000000000012"}));
  EXPECT_NE(data.treatment[1], data.treatment[2]);
  EXPECT_EQ(data.treatment[4], data.treatment[5]) << "one label, two spellings";
}

TEST(Arms, AFeatureNamedLikeTheTrueOutcomeOfAnArmIsWarnedOf) {
  const LoadedData data =
      load_nodes("treatment,outcome,y2\n0,1,3\n1,2,1\n2,3,5\n0,1,2\n1,2,4\n2,2,4\n");
  ASSERT_EQ(data.warnings.size(), 1U);
  EXPECT_EQ(data.warnings[0],
            "the feature y2 is named like the true outcome under arm '2': if that is what it is, "
            "--ignore y2 or rename it to y:2");
}

}  // namespace
}  // namespace cone
