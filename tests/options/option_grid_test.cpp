#include "options/option_grid.hpp"

#include <gtest/gtest.h>

#include "cone/options.hpp"

namespace cone {
namespace {

std::string faults_of(const std::vector<GridAxis>& axes) {
  try {
    expand_grid(ConeOptions{}, axes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(OptionGrid, HasEveryCombinationWithTheLastAxisFastest) {
  const auto points =
      expand_grid(ConeOptions{.zeta = 7}, std::vector<GridAxis>{{"gamma", {"0.1", "1e-2"}},
                                                                {"hidden", {"8", "16", "32"}},
                                                                {"self_loops", {"false"}}});
  ASSERT_EQ(points.size(), 6U);
  for (std::size_t p = 0; p < 6; ++p) {
    EXPECT_EQ(points[p].gamma, p < 3 ? 0.1 : 0.01);
    EXPECT_EQ(points[p].hidden, 8U << (p % 3));
    EXPECT_FALSE(points[p].self_loops);
    EXPECT_EQ(points[p].zeta, 7);
  }
}

TEST(OptionGrid, EveryOptionCanBeAnAxis) {
  const ConeOptions base;
  ConeOptions::visit(base, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                        const Range& = {}) {
    ConeOptions copy = base;
    EXPECT_TRUE(set_option(copy, name, option_text(value))) << name;
    EXPECT_EQ(canonical_text(copy), canonical_text(base)) << name;
  });
}

TEST(OptionGrid, ListsEveryBadValueAtOnce) {
  const std::string message = faults_of({{"gamma", {"0.1", "x", ""}},
                                         {"hidden", {"-1", "1.5", "99999999999"}},
                                         {"dropout", {"1", "nan", "0.5", "0.50"}},
                                         {"no_such_option", {"1"}}});
  for (const char* part : {"--gamma: 'x'", "--gamma: ''", "--hidden: '-1'", "--hidden: '1.5'",
                           "--hidden: '99999999999'", "--dropout: is 1,", "--dropout: is nan",
                           "--dropout: 0.50 occurs twice", "--no-such-option"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
  }
}

TEST(OptionGrid, RefusesMorePointsThanAnyoneCanWaitFor) {
  GridAxis wide{.name = "hidden"};
  for (int k = 1; k <= 1000; ++k) wide.values.push_back(std::to_string(k));
  GridAxis other = wide;
  other.name = "epochs";
  EXPECT_NE(faults_of({wide, other}).find("more than"), std::string::npos);
}

}  // namespace
}  // namespace cone
