#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "data/npz.hpp"
#include "support/mutations.hpp"
#include "support/npz_writer.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using testing::npy_array;
using testing::npy_bytes;
using testing::NpzMembers;
using testing::pack;

/// "read", or the text of the Error(kData). Anything else fails the test.
std::string outcome_of_npz(const testing::TemporaryFolder& folder, const std::string& bytes) {
  try {
    read_csr_npz(folder.write("hostile.npz", bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kData) << error.what();
    for (const Fault& fault : error.faults()) EXPECT_FALSE(fault.advice.empty()) << error.what();
    return error.what();
  }
  return "read";
}

void expect_npz_outcome(const std::string& bytes, const std::string& part) {
  const testing::TemporaryFolder folder;
  const std::string outcome = outcome_of_npz(folder, bytes);
  EXPECT_NE(outcome.find(part), std::string::npos) << outcome;
}

/// The small matrix with one member replaced.
void expect_npz_outcome(const std::string& member, const std::string& bytes,
                        const std::string& part) {
  NpzMembers members = testing::small_csr_members();
  members[member] = bytes;
  expect_npz_outcome(pack(members, true), part);
  if (part != "read") expect_npz_outcome(pack(members, false), "hostile.npz (" + member + ")");
}

std::string with_header(const std::string& dictionary) {
  return npy_bytes(dictionary, std::vector<double>{1, 2, 3});
}

TEST(HostileNpz, MustBeAWholeArchiveWithEveryMember) {
  const std::string whole = pack(testing::small_csr_members(), true);
  expect_npz_outcome(whole, "read");
  expect_npz_outcome("id,treatment\n", "not a .npz archive");
  expect_npz_outcome(whole.substr(0, whole.size() / 2), "not a .npz archive");
  expect_npz_outcome("", "missing");
  for (const char* name : {"format", "shape", "indptr", "indices", "data"}) {
    NpzMembers members = testing::small_csr_members();
    members.erase(std::string(name) + ".npy");
    expect_npz_outcome(pack(members, true), std::string(name) + ".npy): is missing");
  }
}

TEST(CsrNpz, MayGiveTheFormatAsUnicode) {
  const std::string dictionary = "{'descr': '<U3', 'fortran_order': False, 'shape': (), }\n";
  expect_npz_outcome("format.npy", npy_bytes(dictionary, std::vector<char32_t>{'c', 's', 'r'}),
                     "read");
  expect_npz_outcome("format.npy", npy_bytes(dictionary, std::vector<char32_t>{'c', 'o', 'o'}),
                     "convert with .tocsr()");
}

TEST(HostileNpz, MustHaveAHeaderThatSaysWhatThereIs) {
  const auto expect_header = [](const std::string& dictionary, const std::string& part) {
    expect_npz_outcome("data.npy", with_header(dictionary), part);
  };
  expect_header("{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }", "read");
  expect_header("{\"shape\":(3L,),\"fortran_order\":False,\"descr\":\"<f8\"}", "read");
  expect_header("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }",
                "declares 32 bytes of data, but there are 24");
  expect_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }", "2 dimensions");
  expect_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,), }",
                "impossible shape");
  expect_header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
                "impossible shape");
  expect_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }", "malformed");
  expect_header("{'descr': '<f8', 'fortran_order': False, }", "malformed");
  expect_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)", "malformed");
  expect_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} 1", "malformed");
  expect_header("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
                "malformed");
  expect_header("", "malformed");
  expect_npz_outcome("data.npy", "short", "it ends before");
  expect_npz_outcome("data.npy", std::string(100, 'x'), "not a .npy array");
}

TEST(HostileNpz, MustHoldPlainLittleEndianNumbers) {
  const auto expect_type = [](const std::string& descr, const std::string& part) {
    expect_npz_outcome("data.npy", npy_array(descr, std::vector<double>{1, 2, 3}), part);
  };
  expect_type("|O", "Python objects");
  expect_type(">f8", "big-endian");
  expect_type("<c8", "not supported");
  expect_type("<M8[ns]", "not supported");
  expect_type("|S8", "not supported");
  expect_npz_outcome(
      "data.npy", with_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }"),
      "structured");
  expect_npz_outcome("data.npy", npy_array("<f2", std::vector<std::uint16_t>{1, 2, 3}),
                     "not supported");
  expect_npz_outcome("indices.npy", npy_array("<f8", std::vector<double>{0, 2, 1}),
                     "not an array of whole numbers");
}

TEST(HostileNpz, MustHaveOffsetsThatAscendWithinTheData) {
  const auto expect_offsets = [](const std::vector<std::int32_t>& offsets,
                                 const std::string& part) {
    expect_npz_outcome("indptr.npy", npy_array("<i4", offsets), part);
  };
  expect_offsets({0, 2, 1, 3}, "is 1 at index 2");
  expect_offsets({1, 2, 2, 3}, "is 1 at index 0");
  expect_offsets({0, -2, 2, 3}, "is -2 at index 1");
  expect_offsets({0, 2, 3}, "has 3 items, must have 4");
  NpzMembers members = testing::small_csr_members();
  members["indptr.npy"] = npy_array("<i4", std::vector<std::int32_t>{0, 2, 2, 2000000000});
  expect_npz_outcome(pack(members, true), "has 3 items, must have 2000000000");
}

TEST(HostileNpz, MustHaveColumnsInRangeAndOnce) {
  const auto expect_columns = [](const std::vector<std::int64_t>& columns,
                                 const std::string& part) {
    expect_npz_outcome("indices.npy", npy_array("<i8", columns), part);
  };
  expect_columns({0, 3, 1}, "has column 3 in row 0, but there are 3 columns");
  expect_columns({0, 2, -1}, "has column -1 in row 2");
  expect_columns({0, 2, std::int64_t{1} << 40}, "has column 1099511627776 in row 2");
  expect_columns({2, 2, 1}, "has column 2 more than once in row 0; call matrix.sum_duplicates()");
}

TEST(HostileNpz, MustHaveASensibleShape) {
  const auto expect_shape = [](const std::vector<std::int64_t>& shape, const std::string& part) {
    expect_npz_outcome("shape.npy", npy_array("<i8", shape), part);
  };
  expect_shape({3, std::int64_t{1} << 32}, "has 4294967296 columns, but at most 10,000,000");
  expect_shape({3, std::int64_t{1} << 31}, "drop columns without entries");
  expect_shape({std::int64_t{1} << 62, 3}, "rows, but at most 4,294,967,295");
  expect_shape({-1, 3}, "has -1 rows");
  expect_shape({3, 3, 3}, "not two whole numbers");
}

TEST(HostileNpz, NamesTheRowAndColumnOfEveryValueThatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string data = npy_array("<f8", std::vector<double>{1, nan, -infinity});
  expect_npz_outcome("data.npy", data, "is nan at row 0, column 2");
  expect_npz_outcome("data.npy", data, "is -inf at row 2, column 1");
  expect_npz_outcome("data.npy", npy_array("<f8", std::vector<double>{1, 1e200, 1}),
                     "is 1e+200 at row 0, column 2: it is too large to compute with");
}

TEST(HostileNpz, MayNotClaimMoreThanDeflateCanHold) {
  NpzMembers members = testing::small_csr_members();
  members["data.npy"] = npy_array("<f8", std::vector<double>(100000, 0.0));
  std::string archive = pack(members, true);
  // The uncompressed size of data.npy, the first member by name, in the central directory.
  const std::size_t entry = archive.find("PK\x01\x02");
  const std::uint32_t absurd = 0x7fffffff;
  std::memcpy(archive.data() + entry + 24, &absurd, sizeof absurd);
  expect_npz_outcome(archive, "cannot hold the 2147483647 that they declare");
}

TEST(HostileNpz, CutShortAnywhereIsRefused) {
  const testing::TemporaryFolder folder;
  for (const bool compressed : {false, true}) {
    const std::string whole = pack(testing::small_csr_members(), compressed);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_NE(outcome_of_npz(folder, whole.substr(0, size)), "read") << size;
    }
  }
}

TEST(HostileNpz, WithChangedBytesIsReadOrNamesTheFault) {
  const testing::TemporaryFolder folder;
  constexpr std::uint64_t kMutants = 3000;
  for (const bool compressed : {false, true}) {
    const std::string whole = pack(testing::small_csr_members(), compressed);
    std::uint64_t num_refused = 0;
    for (std::uint64_t k = 0; k < kMutants; ++k) {
      num_refused += outcome_of_npz(folder, testing::mutate(whole, k)) != "read" ? 1U : 0U;
    }
    EXPECT_GT(num_refused, kMutants / 5);
  }
}

TEST(HostileNpz, WithChangedBytesInASoundArchiveIsReadOrNamesTheFault) {
  const testing::TemporaryFolder folder;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    for (const auto& [name, bytes] : testing::small_csr_members()) {
      NpzMembers members = testing::small_csr_members();
      members[name] = testing::mutate(bytes, k);
      outcome_of_npz(folder, pack(members, k % 2 == 0));
    }
  }
}

}  // namespace
}  // namespace cone
