#include "cone/data/id_table.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

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

TEST(IdTable, FindAllAgreesWithFind) {
  const IdTable table = IdTable::numbered(1000);
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
