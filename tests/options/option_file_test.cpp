#include <array>

#include <gtest/gtest.h>

#include "cone/json.hpp"

#include "support/temporary_folder.hpp"

namespace cone {
namespace {

enum class FileColour { kRed, kBlue };

struct Paint {
  std::uint32_t layers = 2;
  double gloss = 0.5;
  bool dry = false;
  FileColour colour = FileColour::kRed;
  int shift = -1;
  std::string name;
  std::vector<std::string> tools;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor);
};

}  // namespace

template <>
struct EnumNames<FileColour> {
  static constexpr std::array<std::pair<FileColour, std::string_view>, 2> kNames = {
      {{FileColour::kRed, "red"}, {FileColour::kBlue, "blue"}}};
};

namespace {

template <class Self, class Visitor>
void Paint::visit(Self& self, Visitor&& visitor) {
  visitor("layers", self.layers, "", between(1, 9));
  visitor("gloss", self.gloss, "", between(0, 1));
  visitor("dry", self.dry, "");
  visitor("colour", self.colour, "");
  visitor("shift", self.shift, "", between(-5, 5));
  visitor("name", self.name, "");
  visitor("tools", self.tools, "");
}

std::string file_with(const std::string& options) {
  return R"({"schema": "cone.options/1", "options": )" + options + "}";
}

/// The message of a file that must be refused, which has to name the file.
std::string refusal(const std::string& text) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("paint.json", text);
  try {
    read_option_file<Paint>(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData);
    EXPECT_NE(std::string(error.what()).find("paint.json"), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "not refused: " << text;
  return "";
}

TEST(OptionFile, GivesBackWhatOptionJsonWrote) {
  const testing::TemporaryFolder folder;
  const Paint paint{.layers = 7,
                    .gloss = 1.0 / 3,
                    .dry = true,
                    .colour = FileColour::kBlue,
                    .shift = -3,
                    .name = "a b",
                    .tools = {"brush", "roll,er"}};
  const auto file = folder.write("paint.json", file_with(option_json(paint).dump()));
  EXPECT_EQ(canonical_text(read_option_file<Paint>(file)), canonical_text(paint));
}

TEST(OptionFile, WhatIsNotNamedKeepsItsDefault) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("paint.json", file_with(R"({"gloss": 1})"));
  const Paint paint = read_option_file<Paint>(file);
  EXPECT_EQ(paint.gloss, 1);
  EXPECT_EQ(paint.layers, 2U);
}

TEST(OptionFile, ListsEveryBadKeyAtOnce) {
  const std::string message = refusal(file_with(
      R"({"layers": 10, "gloss": "much", "dry": 1, "colour": "green", "glos": 1, "\u0001": 2})"));
  for (const char* part :
       {"(layers): is 10, must be between 1 and 9", "(gloss): is \"much\"",
        "(dry): is 1, must be true or false", "must be one of red, blue",
        "(glos): is not an option; did you mean gloss?", "(\\x01): is not an option"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
  }
}

TEST(OptionFile, NumbersMustBeOfTheOptionsType) {
  for (const char* value :
       {"-1", "1.5", "1e1", "4294967297", "null", "[1]", "{}", "\"1\"", "true"}) {
    EXPECT_NE(refusal(file_with(fmt::format(R"({{"layers": {}}})", value))).find("(layers)"),
              std::string::npos)
        << value;
  }
  for (const char* value : {"null", "true", "\"0.5\"", "[0.5]", "-0.1", "1.1"}) {
    EXPECT_NE(refusal(file_with(fmt::format(R"({{"gloss": {}}})", value))).find("(gloss)"),
              std::string::npos)
        << value;
  }
}

TEST(OptionFile, WholeNumbersStringsAndListsMustHaveTheirType) {
  for (const char* value : {"6", "1.0", "99999999999", "18446744073709551615", "\"1\"", "null"}) {
    EXPECT_NE(refusal(file_with(fmt::format(R"({{"shift": {}}})", value))).find("(shift)"),
              std::string::npos)
        << value;
  }
  EXPECT_NE(refusal(file_with(R"({"name": 3})")).find("must be a string"), std::string::npos);
  EXPECT_NE(refusal(file_with(R"({"tools": ["a", 3]})")).find("must be a list of strings"),
            std::string::npos);
  EXPECT_EQ(take_options<Paint>({{"tools", "a,b"}}, "").tools,
            (std::vector<std::string>{"a", "b"}));
}

TEST(OptionFile, RefusesWhatIsNotSuchAFile) {
  EXPECT_NE(refusal("").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal("{\n\"schema\": \"cone.options/1\",\n oops}").find(":3"), std::string::npos);
  EXPECT_NE(refusal("[]").find("not a JSON object"), std::string::npos);
  EXPECT_NE(refusal("{}").find("schema"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "cone.options/2", "options": {}})").find("schema"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "cone.options/1"})").find("options"), std::string::npos);
  EXPECT_NE(refusal(file_with("3")).find("options"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "cone.options/1", "options": {}, "gloss": 1})").find("gloss"),
            std::string::npos);
  EXPECT_NE(refusal(file_with(R"({"gloss": 0.1, "gloss": 0.2})")).find("twice"), std::string::npos);
  EXPECT_NE(refusal(file_with(R"({"gloss": 1e999})")).find("too large"), std::string::npos);
  EXPECT_NE(refusal(file_with("{\"gl\xffss\": 1}")).find("not JSON"), std::string::npos);
}

TEST(OptionFile, RefusesNestingWithoutEnd) {
  const std::string lists = std::string(200'000, '[') + std::string(200'000, ']');
  std::string objects;
  for (int k = 0; k < 100'000; ++k) objects += "{\"a\":";
  EXPECT_NE(refusal(file_with("{\"gloss\": " + lists + "}")).find("levels deep"),
            std::string::npos);
  EXPECT_NE(refusal(lists).find("levels deep"), std::string::npos);
  EXPECT_NE(refusal(objects).find("levels deep"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": )" + lists + R"(, "options": {}})").find("levels deep"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "cone.options/1", "tuning": )" + lists + R"(, "options": {}})")
                .find("levels deep"),
            std::string::npos);
}

}  // namespace
}  // namespace cone
