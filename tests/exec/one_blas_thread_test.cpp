#include "exec/one_blas_thread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"

namespace cone {
namespace {

TEST(OneBlasThread, AllowsNoMoreCallersThanThereAreBuffers) {
  ASSERT_GE(most_blas_callers(), 16);
  const int count = most_blas_callers() + 40;
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k) {
    threads.emplace_back([&] {
      const OneBlasThread guard;
      const OneBlasThread again;  // needs no second slot
      const int now = ++inside;
      int known = most;
      while (known < now && !most.compare_exchange_weak(known, now)) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      --inside;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, most_blas_callers());
  EXPECT_GT(most, 1);
}

}  // namespace
}  // namespace cone
