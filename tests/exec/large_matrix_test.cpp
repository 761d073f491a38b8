#include "exec/large_matrix.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {
namespace {

// Two full pieces and a part of a third.
constexpr std::size_t kRows = 1100;
constexpr std::size_t kCols = 1000;

Matrix<double> numbered() {
  Matrix<double> matrix(kRows, kCols);
  for (std::size_t k = 0; k < matrix.values().size(); ++k) {
    matrix.values()[k] = static_cast<double>(k);
  }
  return matrix;
}

TEST(LargeMatrix, IsZeroEverywhereEvenInUsedMemory) {
  for (const int threads : {1, 3}) {
    const Context context({.threads = threads});
    { const Matrix<double> used = numbered(); }
    const Matrix<double> zero = make_zero_matrix(context, kRows, kCols);
    EXPECT_EQ(zero.rows(), kRows);
    EXPECT_EQ(zero.cols(), kCols);
    EXPECT_EQ(std::ranges::count(zero.values(), 0.0), std::ssize(zero.values()));
  }
}

TEST(LargeMatrix, CopiesEveryValue) {
  const Matrix<double> matrix = numbered();
  for (const int threads : {1, 3}) {
    const Matrix<double> copy = copy_matrix(Context({.threads = threads}), matrix);
    ASSERT_EQ(copy.rows(), kRows);
    ASSERT_EQ(copy.cols(), kCols);
    EXPECT_TRUE(std::ranges::equal(copy.values(), matrix.values()));
  }
  EXPECT_EQ(copy_matrix(Context({.threads = 1}), Matrix<double>(0, 5)).cols(), 5U);
}

TEST(LargeMatrix, StopsWhenTheObserverAsks) {
  class Impatient : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  };
  Impatient observer;
  const Context context({.threads = 1, .progress = &observer});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so that it is time to ask
  EXPECT_THROW(make_zero_matrix(context, kRows, kCols), Cancelled);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THROW(copy_matrix(context, numbered()), Cancelled);
}

}  // namespace
}  // namespace cone
