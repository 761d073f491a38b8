#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "cone/error.hpp"

#include "data/mat_file.hpp"
#include "support/mat_writer.hpp"
#include "support/mutations.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using testing::MatWriter;

constexpr std::size_t kHeaderBytes = 128;

std::string reference_bytes(const std::string& name) {
  std::ifstream in(std::string(CONE_SOURCE_DIR) + "/tests/data/files/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string deflated(const std::string& bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string out(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  out.resize(size);
  return out;
}

/// A top-level compressed element, which unlike all others is not padded.
std::string compressed_element(const std::string& stream) {
  return MatWriter::bytes_of(std::vector<std::uint32_t>{
             MatWriter::kCompressed, static_cast<std::uint32_t>(stream.size())}) +
         stream;
}

/// The offsets of the top-level elements of a valid file, and of its end.
std::vector<std::size_t> element_boundaries(const std::string& file) {
  std::vector<std::size_t> boundaries = {kHeaderBytes};
  while (boundaries.back() < file.size()) {
    std::uint32_t size = 0;
    std::memcpy(&size, file.data() + boundaries.back() + 4, sizeof size);
    boundaries.push_back(boundaries.back() + 8 + size);
  }
  return boundaries;
}

/// "loaded", or the text of the Error(kData). Anything else fails the test.
template <class Load>
std::string outcome_of(const Load& load) {
  try {
    load(Context({.threads = 1}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData) << error.what();
    return error.what();
  }
  return "loaded";
}

/// Without a file, for bytes that are changed thousands of times.
std::string outcome_of_bytes(const std::string& bytes) {
  return outcome_of([&](const Context& context) { parse_mat(context, bytes, "hostile.mat"); });
}

void expect_fault(const std::string& bytes, const std::string& part) {
  const testing::TemporaryFolder folder;
  const std::string outcome = outcome_of(
      [&](const Context& context) { load_mat(context, folder.write("hostile.mat", bytes)); });
  EXPECT_NE(outcome.find(part), std::string::npos) << outcome;
}

TEST(HostileMatFile, OfAnotherKindIsRefusedWithAWayOut) {
  expect_fault("", "too short");
  expect_fault("id,treatment\n", "too short");
  expect_fault(std::string(200, 'x'), "not a MATLAB file");
  expect_fault("\x89HDF\r\n\x1a\n" + std::string(200, 'x'), "'-v7'");
  expect_fault(std::string(512, ' ') + "\x89HDF\r\n\x1a\n", "7.3 (HDF5)");
  std::string big_endian = MatWriter::file("");
  std::swap(big_endian[126], big_endian[127]);
  expect_fault(big_endian, "big-endian");
}

TEST(HostileMatFile, MayNotDeclareMoreThanItHolds) {
  const std::string features = MatWriter::dense("Attributes", 2, 1, {1, 2});
  const auto network = [&](const std::string& element) {
    return MatWriter::file(features + element);
  };
  expect_fault(network(MatWriter::dense("Network", 2147483647, 2147483647, {1})),
               "2147483647 × 2147483647 values are declared, but 1 are present");
  expect_fault(network(MatWriter::sparse("Network", 2, 2147483647, {}, {0}, {})),
               "does not match its shape");
  std::string long_tag = MatWriter::dense("Network", 1, 1, {1});
  long_tag[7] = '\x7f';
  expect_fault(network(long_tag), "a tag declares 21307");

  // A stream that cannot be as long as it declares, and one that is shorter than it declares.
  const std::string whole = MatWriter::dense("Network", 2, 2, {0, 1, 1, 0});
  std::string bomb = whole;
  bomb[7] = '\x7f';
  expect_fault(network(compressed_element(deflated(bomb))), "cannot hold");
  std::string longer = whole;
  longer[5] = '\x01';
  expect_fault(network(compressed_element(deflated(longer))), "does not match its declared size");
  expect_fault(network(compressed_element(deflated(whole + "more"))),
               "does not match its declared size");
  expect_fault(network(compressed_element("no zlib stream")), "cannot be read");
}

TEST(HostileMatFile, IsCheckedForTheChecksumOfItsStreams) {
  const std::string features = MatWriter::dense("Attributes", 2, 1, {1, 2});
  std::string stream = deflated(MatWriter::dense("Network", 2, 2, {0, 1, 1, 0}));
  EXPECT_EQ(outcome_of_bytes(MatWriter::file(features + compressed_element(stream))), "loaded");
  stream.back() = static_cast<char>(stream.back() ^ 1);
  EXPECT_NE(outcome_of_bytes(MatWriter::file(features + compressed_element(stream))), "loaded");
}

TEST(HostileMatFile, MayNotHaveSparseIndicesThatPointElsewhere) {
  const auto network = [](const std::vector<std::int32_t>& ir,
                          const std::vector<std::int32_t>& jc) {
    return MatWriter::file(MatWriter::dense("Attributes", 3, 1, {1, 2, 3}) +
                           MatWriter::sparse("Network", 3, 3, ir, jc, {1, 1, 1}));
  };
  expect_fault(network({0, 1, 2}, {0, 1, 2, 4}), "column 4 of the sparse matrix has no valid");
  expect_fault(network({0, 1, 2}, {0, 2, 1, 3}), "column 3 of the sparse matrix has no valid");
  expect_fault(network({0, 1, 2}, {1, 1, 2, 3}), "column 1 of the sparse matrix has no valid");
  expect_fault(network({0, 1, 2}, {0, -1, 2, 3}), "column 2 of the sparse matrix has no valid");
  expect_fault(network({0, 3, 2}, {0, 1, 2, 3}), "the rows in column 2");
  expect_fault(network({0, 1, -1}, {0, 1, 2, 3}), "the rows in column 3");
  expect_fault(network({1, 0, 2}, {0, 2, 2, 3}), "the rows in column 1");
  expect_fault(network({1, 1, 2}, {0, 0, 2, 3}), "the rows in column 2");
}

TEST(HostileMatFile, CutShortWithinAVariableIsRefused) {
  for (const char* name : {"sparse.mat", "sparse_compressed.mat", "dense.mat"}) {
    const std::string whole = reference_bytes(name);
    ASSERT_EQ(outcome_of_bytes(whole), "loaded");
    const std::vector<std::size_t> boundaries = element_boundaries(whole);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      if (std::find(boundaries.begin(), boundaries.end(), size) != boundaries.end()) continue;
      EXPECT_NE(outcome_of_bytes(whole.substr(0, size)), "loaded") << name << " " << size;
    }
  }
}

TEST(HostileMatFile, WithChangedBytesLoadsOrNamesTheFault) {
  constexpr std::uint64_t kMutants = 3000;
  for (const char* name :
       {"sparse.mat", "sparse_compressed.mat", "dense.mat", "dense_compressed.mat"}) {
    const std::string whole = reference_bytes(name);
    std::uint64_t num_refused = 0;
    for (std::uint64_t k = 0; k < kMutants; ++k) {
      num_refused += outcome_of_bytes(testing::mutate(whole, k)) != "loaded" ? 1U : 0U;
    }
    EXPECT_GT(num_refused, kMutants / 5) << name;
  }
}

TEST(HostileMatFile, WithChangedBytesUnderSoundCompressionLoadsOrNamesTheFault) {
  for (const char* name : {"sparse.mat", "dense.mat"}) {
    const std::string whole = reference_bytes(name);
    const std::vector<std::size_t> boundaries = element_boundaries(whole);
    for (std::uint64_t k = 0; k < 3000; ++k) {
      const std::string changed = testing::mutate(whole, k, kHeaderBytes);
      std::string packed = whole.substr(0, kHeaderBytes);
      // Compress along the boundaries of the sound file, so that the damage is within the streams.
      for (std::size_t e = 0; e + 1 < boundaries.size() && boundaries[e] < changed.size(); ++e) {
        packed += compressed_element(
            deflated(changed.substr(boundaries[e], boundaries[e + 1] - boundaries[e])));
      }
      outcome_of_bytes(packed);
    }
  }
}

}  // namespace
}  // namespace cone
