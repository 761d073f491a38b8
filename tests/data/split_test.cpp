#include "data/split.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cone {
namespace {

/// Nodes named "u<k>" for the given k; every third k is treated.
Dataset dataset_of(const std::vector<std::uint32_t>& numbers) {
  Dataset data;
  for (const std::uint32_t k : numbers) {
    data.ids.insert(fmt::format("u{}", k));
    data.treatment.push_back(k % 3 == 0 ? 1 : 0);
    data.outcome.push_back(k);
  }
  return data;
}

std::vector<std::uint32_t> count_to(std::uint32_t n) {
  std::vector<std::uint32_t> numbers(n);
  for (std::uint32_t k = 0; k < n; ++k) numbers[k] = k;
  return numbers;
}

std::set<std::string> names(const Dataset& data, const std::vector<NodeIndex>& nodes) {
  std::set<std::string> out;
  for (const NodeIndex i : nodes) out.emplace(data.ids[i]);
  return out;
}

std::size_t num_treated(const Dataset& data, const std::vector<NodeIndex>& nodes) {
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](NodeIndex i) { return data.treatment[i] == 1; }));
}

void expect_partition(const std::vector<std::vector<NodeIndex>>& parts,
                      std::vector<NodeIndex> nodes) {
  std::vector<NodeIndex> seen;
  for (const auto& part : parts) {
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    seen.insert(seen.end(), part.begin(), part.end());
  }
  std::sort(seen.begin(), seen.end());
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(seen, nodes);
}

std::string message_of(const auto& action, ErrorCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Split, HasTheRequestedFractionsAndEveryNodeOnce) {
  for (const std::uint32_t n : {10U, 11U, 57U, 1000U}) {
    for (const bool stratified : {false, true}) {
      const Dataset data = dataset_of(count_to(n));
      const Split split = make_split(data, {.stratified = stratified}, 7);
      expect_partition({split.train, split.validation, split.test}, count_to(n));
      const double slack = stratified ? 2 : 1;
      EXPECT_NEAR(static_cast<double>(split.train.size()), 0.6 * n, slack);
      EXPECT_NEAR(static_cast<double>(split.validation.size()), 0.2 * n, slack);
      EXPECT_NEAR(static_cast<double>(split.test.size()), 0.2 * n, slack);
    }
  }
}

TEST(Split, GivesEveryPartItsShareOfBothArmsWhenStratified) {
  for (std::uint32_t n = 30; n < 90; ++n) {
    const Dataset data = dataset_of(count_to(n));
    const auto all = static_cast<double>(data.arm_sizes()[1]);
    const Split split = make_split(data, {.stratified = true}, n);
    EXPECT_NEAR(static_cast<double>(num_treated(data, split.train)), 0.6 * all, 1) << n;
    EXPECT_NEAR(static_cast<double>(num_treated(data, split.validation)), 0.2 * all, 1) << n;
    EXPECT_NEAR(static_cast<double>(num_treated(data, split.test)), 0.2 * all, 1) << n;
  }
}

TEST(Split, PermutingTheRowsPermutesIt) {
  const Dataset data = dataset_of(count_to(200));
  const Dataset permuted = dataset_of(Rng(1, Stream::kTest).permutation(200));
  for (const bool stratified : {false, true}) {
    const Split a = make_split(data, {.stratified = stratified}, 3);
    const Split b = make_split(permuted, {.stratified = stratified}, 3);
    EXPECT_EQ(names(data, a.train), names(permuted, b.train));
    EXPECT_EQ(names(data, a.validation), names(permuted, b.validation));
    EXPECT_EQ(names(data, a.test), names(permuted, b.test));
    const auto folds_a = make_folds(data, 5, stratified, 3);
    const auto folds_b = make_folds(permuted, 5, stratified, 3);
    for (int f = 0; f < 5; ++f) {
      EXPECT_EQ(names(data, folds_a[f]), names(permuted, folds_b[f])) << f;
    }
  }
}

TEST(Split, DependsOnTheSeed) {
  const Dataset data = dataset_of(count_to(200));
  EXPECT_EQ(make_split(data, {}, 3).test, make_split(data, {}, 3).test);
  EXPECT_NE(make_split(data, {}, 3).test, make_split(data, {}, 4).test);
  EXPECT_NE(make_folds(data, 5, false, 3), make_folds(data, 5, false, 4));
}

TEST(Split, PutsEveryNodeInTheTestPartAboutAsOften) {
  const std::uint32_t n = 50;
  const Dataset data = dataset_of(count_to(n));
  std::vector<int> times(n);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    for (const NodeIndex i : make_split(data, {}, seed).test) ++times[i];
  }
  // 200 expected, standard deviation 12.6; five of them on either side.
  for (const int count : times) EXPECT_NEAR(count, 200, 63);
}

TEST(Split, RefusesFractionsThatLeaveNothingForTheTestSet) {
  const Dataset data = dataset_of(count_to(20));
  const auto split = [&](double train, double validation) {
    return message_of(
        [&] { make_split(data, {.train_fraction = train, .validation_fraction = validation}, 0); },
        ErrorCode::kUsage);
  };
  EXPECT_NE(split(0.7, 0.3).find("leaves nothing for the test set"), std::string::npos);
  EXPECT_NE(split(0, 0.3).find("--train-fraction"), std::string::npos);
}

TEST(Split, NamesThePartsThatWouldBeEmpty) {
  const std::string message =
      message_of([] { make_split(dataset_of(count_to(2)), {}, 0); }, ErrorCode::kData);
  EXPECT_NE(message.find("the test set would have no nodes (2 in total)"), std::string::npos)
      << message;
  const std::string arms = message_of(
      [] {
        make_split(dataset_of({1, 2, 4, 5, 7, 8, 10, 0}), {.stratified = true}, 0);
      },
      ErrorCode::kData);
  EXPECT_NE(arms.find("no treated nodes (1 in total)"), std::string::npos) << arms;
  const std::string both = message_of(
      [] {
        make_split(dataset_of({0, 1}), {.stratified = true}, 0);
      },
      ErrorCode::kData);
  EXPECT_NE(both.find("no control nodes"), std::string::npos) << both;
  EXPECT_NE(both.find("no treated nodes"), std::string::npos) << both;
}

TEST(Split, NeedsTreatmentsToStratifyBy) {
  Dataset raw;
  raw.ids = IdTable::numbered(20);
  EXPECT_EQ(make_split(raw, {}, 0).train.size(), 12U);
  EXPECT_EQ(make_folds(raw, 4, false, 0).size(), 4U);
  const auto stratify = [&] { make_split(raw, {.stratified = true}, 0); };
  EXPECT_NE(message_of(stratify, ErrorCode::kData).find("no treatments"), std::string::npos);
  const auto fold = [&] { make_folds(raw, 4, true, 0); };
  EXPECT_NE(message_of(fold, ErrorCode::kData).find("no treatments"), std::string::npos);
}

TEST(Folds, DifferInSizeByOneAtMostAndHoldEveryNodeOnce) {
  for (const std::uint32_t n : {30U, 31U, 64U}) {
    for (const bool stratified : {false, true}) {
      const Dataset data = dataset_of(count_to(n));
      const auto folds = make_folds(data, 7, stratified, 1);
      expect_partition(folds, count_to(n));
      std::set<std::size_t> sizes;
      std::set<std::size_t> treated;
      for (const auto& fold : folds) {
        sizes.insert(fold.size());
        treated.insert(num_treated(data, fold));
      }
      EXPECT_LE(*sizes.rbegin() - *sizes.begin(), 1U);
      if (stratified) {
        EXPECT_LE(*treated.rbegin() - *treated.begin(), 1U);
      }
    }
  }
}

TEST(Folds, LookAtTreatmentsOnlyWhereStratified) {
  const Dataset data = dataset_of(count_to(60));
  Dataset swapped = data;
  std::rotate(swapped.treatment.begin(), swapped.treatment.begin() + 1, swapped.treatment.end());
  ASSERT_NE(data.treatment, swapped.treatment);
  EXPECT_EQ(make_folds(data, 7, false, 1), make_folds(swapped, 7, false, 1));
  EXPECT_NE(make_folds(data, 7, true, 1), make_folds(swapped, 7, true, 1));
}

TEST(Folds, OfASubsetHoldThatSubsetWhateverOrderItComesIn) {
  const Dataset data = dataset_of(count_to(100));
  std::vector<NodeIndex> nodes = {90, 3, 6, 7, 12, 50, 51, 52, 33, 81, 82, 40, 41, 42};
  const auto folds = make_folds(data, nodes, 3, 5, Stream::kSelection);
  expect_partition(folds, nodes);
  std::reverse(nodes.begin(), nodes.end());
  EXPECT_EQ(make_folds(data, nodes, 3, 5, Stream::kSelection), folds);
  EXPECT_NE(make_folds(data, nodes, 3, 5, Stream::kSplit), folds);
}

TEST(Folds, RefuseMoreFoldsThanAnArmHasMembers) {
  const Dataset data = dataset_of(count_to(10));  // treated: 0, 3, 6, 9
  EXPECT_EQ(make_folds(data, 4, true, 0).size(), 4U);
  for (const bool stratified : {false, true}) {
    const auto fold = [&] { make_folds(data, 5, stratified, 0); };
    EXPECT_NE(message_of(fold, ErrorCode::kData).find("treated nodes, but there are 4"),
              std::string::npos);
  }
  const std::vector<NodeIndex> left = {0, 3, 1, 2, 4, 5};
  const auto inside = [&] { make_folds(data, left, 3, 0, Stream::kSelection); };
  const std::string why = message_of(inside, ErrorCode::kData);
  EXPECT_NE(why.find("the 3 selection folds within a fold need at least as many treated nodes, "
                     "but its training nodes have 2"),
            std::string::npos)
      << why;
  EXPECT_NE(why.find("--selection-folds 2"), std::string::npos) << why;
  const auto one = [&] { make_folds(data, 1, true, 0); };
  EXPECT_NE(message_of(one, ErrorCode::kUsage).find("at least 2"), std::string::npos);
}

}  // namespace
}  // namespace cone
