#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "base/random.hpp"
#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using testing::Files;

/// Mutates one file in a few positions: bytes that matter to the syntax, random bytes, cut or
/// copied pieces.
void mutate(Files& files, Rng& rng) {
  static constexpr char kBytes[] = "\",\n\r\0\xFF\xC3 -+.e0123456789ainf";
  constexpr std::string_view kTroublesome(kBytes, sizeof kBytes - 1);
  auto file = files.begin();
  std::advance(file, static_cast<std::ptrdiff_t>(rng.below(files.size())));
  std::string& text = file->second;
  for (std::uint64_t round = rng.below(3) + 1; round > 0 && !text.empty(); --round) {
    const std::size_t position = rng.below(text.size());
    switch (rng.below(5)) {
      case 0:
        text[position] = kTroublesome[rng.below(kTroublesome.size())];
        break;
      case 1:
        text.insert(position, 1, kTroublesome[rng.below(kTroublesome.size())]);
        break;
      case 2:
        text.erase(position, rng.below(20));
        break;
      case 3:
        text.insert(rng.below(text.size()), text.substr(position, rng.below(40)));
        break;
      default:
        text.resize(position);
    }
  }
}

TEST(LoadFuzz, EveryMutationLoadsOrIsRefused) {
  constexpr std::uint64_t kNumMutations = 4000;
  const Context context({.threads = 2});
  std::uint64_t num_loaded = 0;
  for (std::uint64_t item = 0; item < kNumMutations; ++item) {
    Rng rng(1, Stream::kTest, item);
    Files files = testing::valid_files();
    files["feature_names.csv"] = "feature\nword two\nword one\nzero\n";
    mutate(files, rng);
    LoadOptions options{.csv = {.chunk_bytes = rng.below(100) + 1}};
    options.missing = static_cast<MissingPolicy>(rng.below(3));
    const MemoryFiles in_memory({files.begin(), files.end()});
    try {
      const LoadedData loaded = load_dataset(context, in_memory, options);
      ++num_loaded;
      ASSERT_EQ(loaded.observed.outcome.size(), loaded.observed.num_nodes()) << "item " << item;
      ASSERT_EQ(loaded.observed.features.matrix.rows(), loaded.observed.num_nodes());
      ASSERT_EQ(loaded.observed.features.names.size(), loaded.observed.features.matrix.cols());
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kData) << "item " << item << ": " << error.what();
    }
  }
  // Some inputs must load and some must be refused, or the mutations would test little.
  EXPECT_GT(num_loaded, kNumMutations / 50);
  EXPECT_LT(num_loaded, kNumMutations * 9 / 10);
}

}  // namespace
}  // namespace cone
