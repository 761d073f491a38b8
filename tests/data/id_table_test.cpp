#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/dataset.hpp"

namespace cone {
namespace {

using std::string_literals::operator""s;

TEST(IdTable, FindsEveryIdWhateverItsLength) {
  IdTable table;
  std::vector<std::string> ids = {""s, "\0"s, "\0\0"s, "a"s, "a\0"s};
  for (std::size_t length = 1; length < 300; ++length) {
    ids.push_back(std::string(length, 'x'));
    ids.push_back(std::string(length, 'x') + "y");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const IdTable::Insertion insertion = table.insert(ids[i]);
    EXPECT_TRUE(insertion.inserted) << i;
    EXPECT_EQ(insertion.index, i);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(table.find(ids[i]), i);
    EXPECT_EQ(table[static_cast<NodeIndex>(i)], ids[i]);
    EXPECT_FALSE(table.insert(ids[i]).inserted);
    EXPECT_EQ(table.find(ids[i] + "z"), std::nullopt);
  }
}

TEST(IdTable, CountingIdsAreFoundByTheirExactTextOnly) {
  IdTable table = IdTable::numbered(120);
  for (const char* text : {"", "120", "00", "07", "+7", " 7", "7 ", "-1", "1e1", "4294967303",
                           "18446744073709551623"}) {
    EXPECT_EQ(table.find(text), std::nullopt) << text;
  }
  EXPECT_EQ(table.find("119"), 119U);
  EXPECT_FALSE(table.insert("7").inserted);
  // The first id that breaks the pattern creates the index, with all ids before it.
  EXPECT_EQ(table.insert("07").index, 120U);
  EXPECT_EQ(table.insert("121").index, 121U);
  for (const NodeIndex i : {0U, 7U, 119U, 120U, 121U}) EXPECT_EQ(table.find(table[i]), i);
  EXPECT_FALSE(table.insert("7").inserted);
}

TEST(IdTable, FindAllAgreesWithFind) {
  IdTable table = IdTable::numbered(1000);
  for (const bool is_counting : {true, false}) {
    if (!is_counting) table.insert("a name longer than eight bytes");
    std::vector<std::string> texts;
    for (int i = -50; i < 1100; i += 3) texts.push_back(std::to_string(i));
    texts.push_back("a name longer than eight bytes");
    const std::vector<std::string_view> ids(texts.begin(), texts.end());
    std::vector<NodeIndex> indices(ids.size());
    table.find_all(ids, indices);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      EXPECT_EQ(indices[k], table.find(ids[k]).value_or(IdTable::kAbsent)) << ids[k];
    }
  }
}

TEST(IdTable, AnEmptyTableFindsNothing) {
  const IdTable table;
  EXPECT_EQ(table.find("a"), std::nullopt);
  const std::vector<std::string_view> ids = {"a"};
  std::vector<NodeIndex> indices(1);
  table.find_all(ids, indices);
  EXPECT_EQ(indices[0], IdTable::kAbsent);
}

}  // namespace
}  // namespace cone
