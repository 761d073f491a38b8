#include "cone/options.hpp"

#include <array>

#include <gtest/gtest.h>

namespace cone {
namespace {

enum class Colour { kRed, kGreen };

}  // namespace

template <>
struct EnumNames<Colour> {
  static constexpr std::array<std::pair<Colour, std::string_view>, 2> kNames = {
      {{Colour::kRed, "red"}, {Colour::kGreen, "green"}}};
};

namespace {

struct PaintOptions {
  int num_coats = 2;
  double dilution_fraction = 0.25;
  Colour colour = Colour::kGreen;
  std::vector<std::string> tools = {"brush", "roller"};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("num_coats", self.num_coats, "Coats of paint", at_least(1));
    visitor("dilution_fraction", self.dilution_fraction, "Share of water", between(0, 1));
    visitor("colour", self.colour, "Colour");
    visitor("tools", self.tools, "What to use");
  }
  void check(std::vector<Fault>& faults) const {
    if (num_coats == 7) faults.push_back({{.item = "--num-coats"}, "seven is unlucky", ""});
  }
};

TEST(Options, DefaultsAreValidAndHaveACanonicalText) {
  EXPECT_NO_THROW(validate(PaintOptions{}));
  EXPECT_EQ(canonical_text(PaintOptions{}),
            "num_coats=2\ndilution_fraction=0.25\ncolour=green\ntools=brush,roller\n");
}

TEST(Options, ValidationListsEveryViolation) {
  PaintOptions options;
  options.num_coats = 0;
  options.dilution_fraction = std::numeric_limits<double>::quiet_NaN();
  try {
    validate(options);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    ASSERT_EQ(error.faults().size(), 2U);
    EXPECT_EQ(error.faults()[0].to_string(), "--num-coats: is 0, must be at least 1");
    EXPECT_EQ(error.faults()[1].to_string(),
              "--dilution-fraction: is nan, must be between 0 and 1");
  }
}

TEST(Options, RulesAcrossFieldsAreChecked) {
  PaintOptions options;
  options.num_coats = 7;
  EXPECT_THROW(validate(options), Error);
}

TEST(Options, CanonicalTextTellsDifferentValuesApart) {
  PaintOptions other;
  other.dilution_fraction = 0.1 + 0.2;
  EXPECT_NE(canonical_text(other), canonical_text(PaintOptions{.dilution_fraction = 0.3}));
}

TEST(Range, DescribesItself) {
  EXPECT_EQ(more_than(0).describe(), "more than 0");
  EXPECT_EQ(strictly_between(0, 1).describe(), "strictly between 0 and 1");
  EXPECT_FALSE(strictly_between(0, 1).contains(1));
  EXPECT_TRUE(between(0, 1).contains(1));
}

}  // namespace
}  // namespace cone
