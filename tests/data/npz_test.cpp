#include "data/npz.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/random.hpp"
#include "data/number.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

std::string reference(const std::string& name) {
  return std::string(CONE_SOURCE_DIR) + "/tests/data/files/" + name;
}

void expect_equal(const SparseMatrix& a, const SparseMatrix& b) {
  const auto list = [](auto span) { return std::vector(span.begin(), span.end()); };
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  EXPECT_EQ(list(a.offsets()), list(b.offsets()));
  EXPECT_EQ(list(a.columns()), list(b.columns()));
  EXPECT_EQ(list(a.values()), list(b.values()));
}

/// The matrix of tests/data/files/make_files.py, every value mapped.
template <class Map>
SparseMatrix words(const Map& map) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 0.5, -8};
  for (double& value : values) value = map(value);
  return {4, {0, 2, 3, 3, 5, 7, 9}, {0, 3, 1, 0, 2, 2, 3, 1, 3}, values};
}

SparseMatrix random_matrix(std::uint32_t rows, std::uint32_t cols) {
  Rng rng(1, Stream::kTest);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < cols; ++j) {
      if (!rng.bernoulli(0.1)) continue;
      columns.push_back(j);
      values.push_back(rng.normal());
    }
    offsets.push_back(columns.size());
  }
  return {cols, std::move(offsets), std::move(columns), std::move(values)};
}

/// A Python that can import SciPy, or an empty string.
std::string python_with_scipy() {
  const char* chosen = std::getenv("CONE_PYTHON");
  for (const std::string& python : {std::string(chosen != nullptr ? chosen : "python3"),
                                    std::string("python3"), std::string("/usr/bin/python3")}) {
    if (std::system((python + " -c 'import numpy, scipy.sparse' 2>/dev/null").c_str()) == 0) {
      return python;
    }
  }
  return "";
}

TEST(CsrNpz, ReadsWhatScipyWritesInEveryType) {
  const auto same = [](double x) { return x; };
  expect_equal(read_csr_npz(reference("csr.npz")), words(same));
  expect_equal(read_csr_npz(reference("csr_stored.npz")), words(same));
  expect_equal(read_csr_npz(reference("csr_float32_int64.npz")), words(same));
  expect_equal(read_csr_npz(reference("csr_bool.npz")), words([](double) { return 1.0; }));
  expect_equal(read_csr_npz(reference("csr_int16.npz")), words([](double x) { return 2 * x; }));
}

TEST(CsrNpz, SortsTheColumnsOfARow) {
  expect_equal(read_csr_npz(reference("csr_unsorted.npz")), words([](double x) { return x; }));
}

TEST(CsrNpz, ReadsSomeRowsAsTheyStandInTheWhole) {
  const SparseMatrix all = read_csr_npz(reference("csr_unsorted.npz"));
  ASSERT_GT(all.rows(), 2U);
  for (const auto& [first, end] :
       {std::pair<std::uint64_t, std::uint64_t>{0, 1}, {1, all.rows()}, {1, 1}, {2, 1000}}) {
    const CsrRows some = read_csr_npz_rows(reference("csr_unsorted.npz"), first, end);
    EXPECT_EQ(some.num_rows, all.rows());
    std::vector<std::uint32_t> wanted;
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(end, all.rows()); ++i) {
      wanted.push_back(static_cast<std::uint32_t>(i));
    }
    expect_equal(some.rows, all.select_rows(wanted));
  }
  EXPECT_EQ(read_csr_npz_rows(reference("csr.npz"), 1000, 2000).rows.rows(), 0U);
}

TEST(CsrNpz, TellsTheWayOutForOtherFormats) {
  try {
    read_csr_npz(reference("csc.npz"));
    FAIL() << "csc was accepted";
  } catch (const Error& error) {
    ASSERT_EQ(error.faults().size(), 1U);
    EXPECT_EQ(error.faults()[0].place.item, "format.npy");
    EXPECT_EQ(error.faults()[0].what, "is 'csc', must be 'csr'");
    EXPECT_NE(error.faults()[0].advice.find(".tocsr()"), std::string::npos);
  }
}

TEST(CsrNpz, ReadsBackWhatItWrites) {
  const testing::TemporaryFolder folder;
  const auto widest = static_cast<std::uint32_t>(kMostFeatures);
  for (const SparseMatrix& matrix :
       {random_matrix(200, 300), SparseMatrix(), SparseMatrix(5, {0, 0, 0}, {}, {}),
        SparseMatrix(widest, {0, 2}, {7, widest - 1}, {0.0, -1e100})}) {
    write_csr_npz(folder.path() / "matrix.npz", matrix);
    expect_equal(read_csr_npz(folder.path() / "matrix.npz"), matrix);
  }
}

TEST(CsrNpz, WritesTheSameBytesForTheSameMatrixAndLeavesNothingElse) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const char* name) {
    write_csr_npz(folder.path() / name, random_matrix(20, 30));
    std::ifstream in(folder.path() / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(write("a.npz"), write("b.npz"));
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

TEST(CsrNpz, FailsToWriteIntoAFolderThatIsNotThere) {
  const testing::TemporaryFolder folder;
  try {
    write_csr_npz(folder.path() / "missing" / "a.npz", SparseMatrix());
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
  }
}

TEST(CsrNpz, IsReadByScipyAsTheSameMatrix) {
  const std::string python = python_with_scipy();
  if (python.empty()) {
    GTEST_SKIP() << "no python3 with numpy and scipy; set CONE_PYTHON to one to run this test";
  }
  const testing::TemporaryFolder folder;
  const SparseMatrix matrix = random_matrix(200, 300);
  write_csr_npz(folder.path() / "ours.npz", matrix);
  write_csr_npz(folder.path() / "wide.npz", SparseMatrix(0xffffffffU, {0, 1}, {0xfffffffeU}, {2}));
  const auto script = folder.write("check.py", R"(
import sys
import numpy as np
import scipy.sparse as sp
folder = sys.argv[1]
ours = sp.load_npz(folder + "/ours.npz")
assert ours.format == "csr" and ours.shape == (200, 300), (ours.format, ours.shape)
assert ours.has_canonical_format and ours.dtype == np.float64
wide = sp.load_npz(folder + "/wide.npz")
assert wide.shape == (1, 2**32 - 1) and wide.indices[0] == 2**32 - 2 and wide.data[0] == 2
sp.save_npz(folder + "/back.npz", sp.csr_matrix(ours.toarray()))
)");
  const std::string command =
      python + " '" + script.string() + "' '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  expect_equal(read_csr_npz(folder.path() / "back.npz"), matrix);
}

}  // namespace
}  // namespace cone
