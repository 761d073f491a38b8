#include "ops/sparse.hpp"

#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/random_inputs.hpp"
#include "ops/reference.hpp"
#include "ops/sparse_transposed.hpp"

namespace cone::ops {
namespace {

template <class Real>
struct OwnedSparse {
  std::size_t num_cols = 0;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<Real> values;
  SparseView<Real> view() const { return {num_cols, offsets, columns, values}; }
};

template <class Real>
OwnedSparse<Real> sparse_of(const Matrix<double>& dense) {
  OwnedSparse<Real> sparse{.num_cols = dense.cols()};
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    for (std::size_t c = 0; c < dense.cols(); ++c) {
      if (dense(i, c) == 0) continue;
      sparse.columns.push_back(static_cast<std::uint32_t>(c));
      sparse.values.push_back(static_cast<Real>(dense(i, c)));
    }
    sparse.offsets.push_back(sparse.columns.size());
  }
  return sparse;
}

/// One entry in nine, a full first row, and every fifth row empty. Drawn once for all tests.
const Matrix<double>& scattered(std::size_t rows, std::size_t cols) {
  static std::map<std::pair<std::size_t, std::size_t>, Matrix<double>> drawn;
  Matrix<double>& m = drawn[{rows, cols}];
  if (m.rows() == rows) return m;
  m = random_matrix(rows, cols, 1);
  std::mt19937 random(2);
  for (std::size_t i = 1; i < rows; ++i) {
    for (double& value : m.row(i)) {
      if (i % 5 == 0 || random() % 9 != 0) value = 0;
    }
  }
  return m;
}

template <class Real>
Matrix<Real> product(int threads, const Matrix<double>& x, const Matrix<double>& w) {
  const OwnedSparse<Real> sparse = sparse_of<Real>(x);
  const Matrix<Real> weights = as<Real>(w);
  Matrix<Real> out(x.rows(), w.cols(), Real{7});
  sparse_times_dense(Context({.threads = threads}), sparse.view(), constant(weights), out.view());
  return out;
}

class SparseTimesDense : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SparseTimesDense, AgreesWithTheReference) {
  const Matrix<double>& x = scattered(300, 90);
  const Matrix<double> w = random_matrix(90, GetParam(), 3);
  const Matrix<double> expected = reference::multiply(x, w);
  EXPECT_LT(largest_difference(product<double>(2, x, w), expected), 1e-13);
  EXPECT_LT(largest_difference(product<float>(2, x, w), expected), 1e-5);
}

TEST_P(SparseTimesDense, IsTheSameAtAnyNumberOfThreads) {
  const Matrix<double>& x = scattered(1500, 120);
  const Matrix<double> w = random_matrix(120, GetParam(), 3);
  const Matrix<float> expected = product<float>(1, x, w);
  for (const int threads : {2, 5}) {
    const Matrix<float> out = product<float>(threads, x, w);
    EXPECT_TRUE(std::equal(out.values().begin(), out.values().end(), expected.values().begin()));
  }
}

Matrix<double> transposed_product(int threads, const Matrix<double>& x, const Matrix<double>& v) {
  const OwnedSparse<double> sparse = sparse_of<double>(x);
  Matrix<double> out(x.cols(), v.cols(), 7.0);
  transposed_sparse_times_dense(Context({.threads = threads}), sparse.view(), constant(v),
                                out.view());
  return out;
}

TEST_P(SparseTimesDense, AgreesWithTheReferenceTransposed) {
  for (const std::size_t rows : {1U, 300U, 5000U}) {
    const Matrix<double>& x = scattered(rows, 90);
    const Matrix<double> v = random_matrix(rows, GetParam(), 3);
    const Matrix<double> expected = reference::multiply(reference::transposed(x), v);
    const Matrix<double> one = transposed_product(1, x, v);
    EXPECT_LT(largest_difference(one, expected), 1e-11);
    for (const int threads : {2, 5}) {
      const Matrix<double> many = transposed_product(threads, x, v);
      EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), many.values().begin()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, SparseTimesDense, ::testing::Values(1, 3, 16, 51, 128, 200));

TEST(SparseTimesDenseOfNoRows, WritesNothing) {
  const OwnedSparse<float> no_rows{.num_cols = 4};
  const Matrix<float> w = as<float>(random_matrix(4, 3, 1));
  std::vector<float> memory(16, 7.0F);
  sparse_times_dense(Context({.threads = 2}), no_rows.view(), constant(w),
                     MatrixView<float>(memory.data() + 8, 0, 3, 3));
  EXPECT_EQ(memory, std::vector<float>(16, 7.0F));
}

TEST(SparseTimesDenseOfEmptyRows, IsZero) {
  const Matrix<float> out = product<float>(2, Matrix<double>(3, 4), random_matrix(4, 3, 1));
  for (const float value : out.values()) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace cone::ops
