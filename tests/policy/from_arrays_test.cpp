// Policies from tables and labels in memory.
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/policy.hpp"

namespace cone {
namespace {

Dataset three_nodes(std::vector<std::string> arms) {
  Dataset data;
  for (const char* id : {"ann", "bob", "eve"}) data.ids.insert(id);
  data.arms = std::move(arms);
  return data;
}

Matrix<double> table_of(std::size_t cols, const std::vector<double>& values) {
  Matrix<double> table(values.size() / cols, cols);
  std::copy(values.begin(), values.end(), table.values().begin());
  return table;
}

std::string refusal_of(const Dataset& data, const Matrix<double>& table) {
  try {
    make_policy(data, "mine", table.view());
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(PolicyFromArrays, OneColumnIsTheArmThatIsNotTheControl) {
  const Matrix<double> table = table_of(1, {0, 0.25, 1});
  const PolicyOnData policy = make_policy(three_nodes({"0", "1"}), "mine", table.view());
  EXPECT_EQ(policy.name, "mine");
  EXPECT_EQ(arm_column(policy.probability.view(), 0), (std::vector<double>{1, 0.75, 0}));
  EXPECT_EQ(arm_column(policy.probability.view(), 1), (std::vector<double>{0, 0.25, 1}));
}

TEST(PolicyFromArrays, LabelsAssignArms) {
  const std::vector<std::string> labels = {"SMS", "none", "call"};
  const Dataset data = three_nodes({"none", "call", "sms"});
  const PolicyOnData policy = make_policy(data, "mine", labels);
  EXPECT_EQ(arm_column(policy.probability.view(), 2), (std::vector<double>{1, 0, 0}));
  const std::vector<std::string> wrong = {"sms", "letter", "call"};
  try {
    make_policy(data, "mine", wrong);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "row 1 (bob), column mine: 'letter' is not an arm; the arms are 'none', 'call', "
                 "'sms'");
  }
}

TEST(PolicyFromArrays, InvalidProbabilitiesAreRefusedByRow) {
  const Dataset two = three_nodes({"0", "1"});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
      refusal_of(two, table_of(1, {0.5, 1.5, nan})),
      "row 1 (bob), column mine: '1.5' is not a probability; if these are percentages, divide "
      "them by 100\nrow 2 (eve), column mine: missing in this row; give every node its "
      "probability");
  EXPECT_EQ(refusal_of(two, table_of(2, {0.5, 0.5, 0.5, 0.4, 0, 1})),
            "row 1 (bob), column mine: the probabilities add up to 0.9, not 1; make the "
            "probabilities of all arms add up to 1");
  EXPECT_EQ(
      refusal_of(two, table_of(1, {0.5, 0.5})),
      "mine: has 2 rows where the data has 3 nodes; give one row per node, in the order of the "
      "data");
  EXPECT_EQ(refusal_of(three_nodes({"none", "call", "sms"}), table_of(1, {0, 0, 1})),
            "mine: has 1 columns where the data has 3 arms: 'none', 'call', 'sms'; give one "
            "probability per arm, in this order");
}

}  // namespace
}  // namespace cone
