#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

/// Seconds of a call. On a shared machine the fastest is more reliable than the median.
struct CallTime {
  double median_seconds;
  double fastest_seconds;
};

/// Over at least `min_calls` calls and 0.3 seconds, after one call to warm up.
template <class Call>
CallTime measure(const Call& call, std::size_t min_calls = 5) {
  using Clock = std::chrono::steady_clock;
  call();
  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < min_calls || total < 0.3) {
    const Clock::time_point start = Clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  return {.median_seconds = seconds[seconds.size() / 2], .fastest_seconds = seconds.front()};
}
