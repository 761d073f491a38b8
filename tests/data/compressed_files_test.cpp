// Tables compressed with gzip: intact, damaged, and made to exhaust memory.
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

LoadedData load_packed(const std::string& text) {
  return load_dataset(Context({.threads = 2}), MemoryFiles({{"nodes.csv", text}}));
}

std::string packed_fault(const std::string& text) {
  const auto faults = testing::faults_of([&] { load_packed(text); });
  return faults.empty() ? "none" : faults[0];
}

std::string gzipped(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(CompressedFiles, AreRead) {
  const std::string text = "treatment,outcome,x\n0,1,5\n1,2,6\n";
  const std::string checksum = load_packed(text).observed.checksum();
  EXPECT_EQ(load_packed(gzipped(text)).observed.checksum(), checksum);
  EXPECT_EQ(load_packed(gzipped(text.substr(0, 20)) + gzipped(text.substr(20))).observed.checksum(),
            checksum);
  EXPECT_EQ(load_packed(gzipped("") + gzipped(text) + gzipped("")).observed.checksum(), checksum);
  const testing::TemporaryFolder folder;
  folder.write("nodes.csv.gz", gzipped(text));
  EXPECT_EQ(load_dataset(Context({.threads = 1}), folder.path()).observed.checksum(), checksum);
  const std::string packed = gzipped(text);
  EXPECT_NE(packed_fault(packed.substr(0, packed.size() / 2)).find("ends too early"),
            std::string::npos);
  const std::string line = std::string(9999, '0') + "\n";
  std::string lines = text;
  while (lines.size() < 70'000'000) lines += line;
  EXPECT_NE(packed_fault(gzipped(lines)).find("more than 200 times"), std::string::npos);
}

// gzip warns about trailing bytes and ignores them. Half of the lines would be lost.
TEST(CompressedFiles, WhatFollowsAMemberIsAnotherOneOrZeros) {
  const std::string first = gzipped("treatment,outcome,x\n0,1,5\n1,2,6\n");
  const std::string second = gzipped("0,3,7\n1,4,8\n");
  EXPECT_EQ(load_packed(first + second).observed.num_nodes(), 4U);
  EXPECT_EQ(load_packed(first + second + std::string(512, '\0')).observed.num_nodes(), 4U);
  EXPECT_EQ(load_packed(first + std::string(1, '\0')).observed.num_nodes(), 2U);
  for (std::size_t size = 1; size < second.size(); ++size) {
    EXPECT_NE(packed_fault(first + second.substr(0, size)).find("ends too early"),
              std::string::npos)
        << size;
  }
  for (const std::size_t bad : {0U, 1U, 2U}) {
    std::string damaged = second;
    damaged[bad] = static_cast<char>(damaged[bad] ^ 1);
    EXPECT_NE(packed_fault(first + damaged).find("is damaged"), std::string::npos) << bad;
  }
  EXPECT_NE(packed_fault(first + std::string(512, '\0') + second).find("neither zeros nor more"),
            std::string::npos);
  EXPECT_NE(packed_fault(first + "x").find("neither zeros nor more"), std::string::npos);
}

/// The fraction of the compressed bytes that was read.
class UnpackedShare : public ProgressObserver {
 public:
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    if (phase == "unpacking") share = static_cast<double>(done) / static_cast<double>(total);
    return share <= most;
  }
  double share = 0;
  double most = 1;
};

TEST(CompressedFiles, TheHeaderOfACompressedFileIsReadBeforeTheRest) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("t.csv.gz", gzipped(std::string(100'000'000, '\0')));
  UnpackedShare seen;
  try {
    load_dataset(Context({.threads = 1, .progress = &seen}), path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the header line is too long"), std::string::npos)
        << error.what();
  }
  EXPECT_LT(seen.share, 0.3);

  std::string lines = "treatment,outcome,x\n";
  while (lines.size() < 30'000'000) lines += "0,1,5\n1,2,5\n";
  UnpackedShare impatient;
  impatient.most = 0.5;
  const auto large = folder.write("l.csv.gz", gzipped(lines));
  EXPECT_THROW(load_dataset(Context({.threads = 1, .progress = &impatient}), large), Cancelled);
}

}  // namespace
}  // namespace cone
