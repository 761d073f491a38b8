#include "machine_limits.hpp"

#include <cstring>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine_limits.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.
#include <hwy/highway.h>

#include "timing.hpp"

HWY_BEFORE_NAMESPACE();
namespace limits::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve independent chains hide the latency of a multiply-add. Returns the operations done.
double multiply_adds(std::size_t rounds, float* result) {
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> chain[12];
  for (std::size_t i = 0; i < 12; ++i) chain[i] = hn::Set(d, static_cast<float>(i));
  const auto factor = hn::Set(d, 0.999F);
  const auto term = hn::Set(d, *result);
  for (std::size_t r = 0; r < rounds; ++r) {
    for (auto& value : chain) value = hn::MulAdd(value, factor, term);
  }
  auto sum = hn::Zero(d);
  for (const auto& value : chain) sum = hn::Add(sum, value);
  *result = hn::GetLane(hn::SumOfLanes(d, sum));
  return 2.0 * 12.0 * static_cast<double>(hn::Lanes(d) * rounds);
}

}  // namespace limits::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace limits {
HWY_EXPORT(multiply_adds);
}

namespace {

/// `bytes` per thread are copied `repeats` times; the traffic is twice that.
double copy_rate(const cone::Context& context, std::size_t bytes, std::size_t repeats) {
  const auto threads = static_cast<std::size_t>(context.num_threads());
  std::vector<std::vector<char>> from(threads, std::vector<char>(bytes, 1));
  std::vector<std::vector<char>> to = from;
  const double seconds = measure([&] {
                           context.for_each_range(threads, 1, [&](std::size_t t, std::size_t) {
                             for (std::size_t r = 0; r < repeats; ++r) {
                               std::memcpy(to[t].data(), from[t].data(), bytes);
                               from[t][r % bytes] = to[t][bytes - 1];
                             }
                           });
                         }).fastest_seconds;
  return 2.0 * static_cast<double>(bytes * repeats * threads) / seconds / 1e9;
}

/// Seconds of a parallel region beyond its longest task, with one short task per thread.
double region_overhead(const cone::Context& context) {
  const auto threads = static_cast<std::size_t>(context.num_threads());
  constexpr std::chrono::microseconds kTask(20);
  const auto task = [&](std::size_t, std::size_t) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < kTask) {
    }
  };
  const CallTime time = measure([&] { context.for_each_range(threads, 1, task); }, 1000);
  return time.median_seconds - std::chrono::duration<double>(kTask).count();
}

}  // namespace

MachineLimits measure_limits(const cone::Context& context) {
  const auto threads = static_cast<std::size_t>(context.num_threads());
  constexpr std::size_t kRounds = 2'000'000;
  std::vector<double> operations(threads);
  std::vector<float> results(threads, 0.001F);
  const double seconds = measure([&] {
                           context.for_each_range(threads, 1, [&](std::size_t t, std::size_t) {
                             operations[t] =
                                 HWY_DYNAMIC_DISPATCH(limits::multiply_adds)(kRounds, &results[t]);
                           });
                         }).fastest_seconds;
  return {
      .cache_copy_gigabytes_a_second = copy_rate(context, std::size_t{3} << 19, 64),
      .memory_copy_gigabytes_a_second = copy_rate(context, (std::size_t{256} << 20) / threads, 1),
      .gigaflops = operations[0] * static_cast<double>(threads) / seconds / 1e9,
      .region_microseconds = region_overhead(context) * 1e6};
}
#endif
