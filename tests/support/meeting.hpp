#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "cone/totals.hpp"

#include "base/numeric.hpp"

namespace cone::testing {

/// Threads of one process that share nodes as processes would, each in a world of its own but for
/// what they tell each other here.
class Meeting {
 public:
  explicit Meeting(std::size_t size)
      : all_(static_cast<std::ptrdiff_t>(size)), told_(size, nullptr) {}

  std::size_t size() const { return told_.size(); }
  /// Shows what every thread tells while all of them look.
  template <class Look>
  void tell(std::size_t rank, const void* what, const Look& look) {
    told_[rank] = what;
    all_.arrive_and_wait();
    look(std::span<const void* const>(told_));
    all_.arrive_and_wait();
  }

 private:
  std::barrier<> all_;
  std::vector<const void*> told_;
};

class MeetingTotals : public Totals {
 public:
  MeetingTotals(Meeting& meeting, std::size_t rank) : meeting_(meeting), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return meeting_.size(); }
  using Totals::allreduce;
  void allreduce(std::span<double> values) const override {
    std::vector<double> total(values.size(), 0.0);
    meeting_.tell(rank_, values.data(), [&](std::span<const void* const> told) {
      for (const void* of_rank : told) {
        const auto* from = static_cast<const double*>(of_rank);
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += from[k];
      }
    });
    std::ranges::copy(total, values.begin());
  }
  void reduce_scatter(std::span<double> values,
                      std::span<const std::size_t> begins) const override {
    allreduce(values);
    std::fill_n(values.begin(), begins[rank_], kNaN);
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(begins[rank_ + 1]), values.end(), kNaN);
  }
  void gather_to(std::size_t rank, std::span<const double> part,
                 std::span<const std::size_t> /*begins*/, std::span<double> all) const override {
    const std::vector<double> gathered = gather(part);
    if (rank == rank_) std::ranges::copy(gathered, all.begin());
  }
  void broadcast(std::size_t rank, std::span<double> values) const override {
    meeting_.tell(rank_, values.data(), [&](std::span<const void* const> told) {
      if (rank == rank_) return;
      std::copy_n(static_cast<const double*>(told[rank]), values.size(), values.begin());
    });
  }
  void allreduce_lists(std::span<const std::span<double>> lists) const override {
    for (const std::span<double> list : lists) allreduce(list);
  }
  using Totals::allreduce_max;
  void allreduce_max(std::span<double> values) const override {
    std::vector<double> largest(values.begin(), values.end());
    meeting_.tell(rank_, values.data(), [&](std::span<const void* const> told) {
      for (const void* of_rank : told) {
        const auto* from = static_cast<const double*>(of_rank);
        for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], from[k]);
      }
    });
    std::ranges::copy(largest, values.begin());
  }

  std::vector<double> gather(std::span<const double> values) const override {
    std::vector<double> all;
    meeting_.tell(rank_, &values, [&](std::span<const void* const> told) {
      for (const void* of_rank : told) {
        const auto& from = *static_cast<const std::span<const double>*>(of_rank);
        all.insert(all.end(), from.begin(), from.end());
      }
    });
    return all;
  }

 private:
  Meeting& meeting_;
  std::size_t rank_;
};

/// work(totals) on as many threads, each with the totals of its rank.
template <class Work>
void meet(std::size_t size, const Work& work) {
  Meeting meeting(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] { work(MeetingTotals(meeting, rank)); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace cone::testing
