#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "network_ridge/ridge_fit.hpp"
#include "support/mutations.hpp"

namespace cone {
namespace {

RidgeFit made_up_fit(VarianceFits variances = VarianceFits::kPerFold) {
  RidgeFit fit;
  fit.plan.folds = 2;
  fit.options.ridge_variances = variances;
  fit.options.ridge_groups = {"own", "neighbour_effects"};
  fit.arms = {"no", "email", "sms"};
  fit.groups = {GroupKind::kOwnCounts, GroupKind::kNeighbourEffects};
  for (std::size_t k = 0; k < RidgeFit::num_parts(fit.plan, fit.options); ++k) {
    std::vector<ArmModel>& part = fit.parts.emplace_back();
    for (std::size_t a = 0; a < fit.arms.size(); ++a) {
      ArmModel& arm = part.emplace_back();
      arm.mean = -1.5 - static_cast<double>(a);
      arm.sd = 0.25;
      arm.noise = 0.125;
      arm.noise_growth = 0.5;
      arm.group_variances = {0.75, 0};
      arm.fixed_columns = {0, 2};
      arm.num_nodes = 40 + k;
      arm.steps = 7;
      arm.converged = a == 0;
    }
  }
  return fit;
}

std::string section_bytes(const RidgeFit& fit) {
  std::ostringstream out;
  ByteWriter writer(out);
  put_network_ridge(writer, fit);
  return out.str();
}

RidgeFit parse_section(const std::string& bytes) {
  ByteReader reader(bytes, "hostile", "advice");
  RidgeFit fit;
  fit.plan.folds = 2;
  fit.arms = {"no", "email", "sms"};
  next_network_ridge(reader, fit);
  return fit;
}

/// "read", or the text of the Error(kData).
std::string section_outcome(const std::string& bytes) {
  try {
    parse_section(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData) << error.what();
    EXPECT_NE(std::string(error.what()).find("hostile"), std::string::npos);
    return error.what();
  }
  return "read";
}

class RidgeSection : public ::testing::Test {
 protected:
  const std::string bytes = section_bytes(made_up_fit());
  const std::size_t groups_at = 4 + canonical_text(made_up_fit().options).size();
  // After the number of groups and the texts own_counts and neighbour_effects.
  const std::size_t parts_at = groups_at + 4 + 4 + 10 + 4 + 17;
  const std::size_t arm_at = parts_at + 4;
  const std::size_t fixed_at = arm_at + 6 * 8;
  const std::size_t learnt_at = fixed_at + 3 * 4;

  template <class T>
  void expect_after_putting(std::size_t at, T value, const std::string& part) const {
    std::string file = bytes;
    std::memcpy(file.data() + at, &value, sizeof value);
    EXPECT_NE(section_outcome(file).find(part), std::string::npos)
        << section_outcome(file) << "\nwithout: " << part;
  }
};

TEST_F(RidgeSection, RoundTrips) {
  for (const VarianceFits variances : {VarianceFits::kOnce, VarianceFits::kPerFold}) {
    const RidgeFit fit = made_up_fit(variances);
    const RidgeFit read = parse_section(section_bytes(fit));
    EXPECT_EQ(canonical_text(read.options), canonical_text(fit.options));
    EXPECT_EQ(read.groups, fit.groups);
    ASSERT_EQ(read.parts.size(), fit.parts.size());
    for (std::size_t k = 0; k < fit.parts.size(); ++k) {
      for (std::size_t a = 0; a < 3; ++a) {
        const ArmModel& was = fit.parts[k][a];
        const ArmModel& is = read.parts[k][a];
        EXPECT_EQ(is.mean, was.mean);
        EXPECT_EQ(is.sd, was.sd);
        EXPECT_EQ(is.noise, was.noise);
        EXPECT_EQ(is.noise_growth, was.noise_growth);
        EXPECT_EQ(is.group_variances, was.group_variances);
        EXPECT_EQ(is.fixed_columns, was.fixed_columns);
        EXPECT_EQ(is.steps, was.steps);
        EXPECT_EQ(is.converged, was.converged);
        EXPECT_EQ(is.num_nodes, was.num_nodes);
      }
    }
    EXPECT_EQ(section_bytes(read), section_bytes(fit));
  }
}

TEST_F(RidgeSection, CutAnywhereOrTooLongIsRefused) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(section_outcome(bytes.substr(0, length)), "read") << length;
  }
  EXPECT_NE(section_outcome(bytes + "1").find("1 bytes are left"), std::string::npos);
}

TEST_F(RidgeSection, WithNumbersBeyondTheirBoundsIsRefused) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  expect_after_putting(0, ~std::uint32_t{0}, "4294967295 bytes of text");
  expect_after_putting(groups_at, std::uint32_t{14}, "has 14 groups");
  expect_after_putting(groups_at + 8, 'x', "is not a group");
  expect_after_putting(parts_at, std::uint32_t{1}, "has 1 sets of variances and its plan makes 2");
  expect_after_putting(parts_at, ~std::uint32_t{0}, "has 4294967295 sets");
  expect_after_putting(arm_at, kInfinite, "the mean outcome of an arm");
  expect_after_putting(arm_at + 8, 0.0, "the standard deviation of outcomes of an arm");
  expect_after_putting(arm_at + 8, -kInfinite, "the standard deviation of outcomes of an arm");
  expect_after_putting(arm_at + 16, -1e-9, "the noise of an arm");
  expect_after_putting(arm_at + 24, 1e4, "the growth of an arm's noise");
  expect_after_putting(arm_at + 32, std::nan(""), "the variance of a group");
  expect_after_putting(arm_at + 40, -1.0, "the variance of a group");
  expect_after_putting(fixed_at, std::uint32_t{0}, "has 0 fixed effects");
  expect_after_putting(fixed_at, std::uint32_t{4}, "has 4 fixed effects");
  expect_after_putting(fixed_at + 4, std::uint32_t{1}, "fixed effect 1 is out of order");
  expect_after_putting(fixed_at + 8, std::uint32_t{0}, "fixed effect 0 is out of order");
  expect_after_putting(fixed_at + 8, std::uint32_t{3}, "fixed effect 3 is out of order");
  expect_after_putting(learnt_at, std::uint32_t{2}, "neither 0 nor 1");
  expect_after_putting(learnt_at + 4, ~std::uint64_t{0}, "are implausible");
  expect_after_putting(learnt_at + 12, ~std::uint64_t{0}, "are implausible");
}

TEST_F(RidgeSection, WithGroupsThatItsOptionsExcludeIsRefused) {
  RidgeFit fit = made_up_fit();
  fit.groups[0] = GroupKind::kOwnSmooth;
  EXPECT_NE(section_outcome(section_bytes(fit)).find("which its options exclude"),
            std::string::npos);
  fit.groups = {GroupKind::kNeighbourEffects, GroupKind::kOwnCounts};
  EXPECT_NE(section_outcome(section_bytes(fit)).find("out of order"), std::string::npos);
  fit.groups = {GroupKind::kOwnCounts, GroupKind::kOwnCounts};
  EXPECT_NE(section_outcome(section_bytes(fit)).find("out of order"), std::string::npos);
}

TEST_F(RidgeSection, MutatedAnyhowIsReadOrRefusedWithAReason) {
  int num_read = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    const std::string file = testing::mutate(bytes, number);
    if (section_outcome(file) != "read") continue;
    ++num_read;
    EXPECT_EQ(section_bytes(parse_section(file)), file);
  }
  EXPECT_GT(num_read, 0);
  EXPECT_LT(num_read, 3000);
}

}  // namespace
}  // namespace cone
