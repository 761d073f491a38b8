#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace cone {
namespace {

TEST(Checksum, GoesOnFromASavedStateWhereverItWasSaved) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::to_string(i * i);
  const std::string whole = Checksum().add_bytes(text.data(), text.size()).hex();
  // Within the buffer, at its end and beyond a block.
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{7}, std::size_t{256}, std::size_t{1500}}) {
    Checksum first;
    first.add_bytes(text.data(), cut);
    Checksum second;
    second.add("something else");
    second.resume(first.save());
    EXPECT_EQ(second.add_bytes(text.data() + cut, text.size() - cut).hex(), whole) << cut;
  }
}

}  // namespace
}  // namespace cone
