#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "cone/communicator.hpp"

#include "base/numeric.hpp"

namespace cone::testing {

/// Threads that act as ranks of a distributed run: each has its own nodes, and all communication
/// goes through this class.
class ThreadCommunicator {
 public:
  explicit ThreadCommunicator(std::size_t size)
      : barrier_(static_cast<std::ptrdiff_t>(size)), buffers_(size, nullptr) {}

  std::size_t size() const { return buffers_.size(); }
  /// Calls look with the buffers of all ranks, between two barriers.
  template <class Look>
  void exchange(std::size_t rank, const void* what, const Look& look) {
    buffers_[rank] = what;
    barrier_.arrive_and_wait();
    look(std::span<const void* const>(buffers_));
    barrier_.arrive_and_wait();
  }

 private:
  std::barrier<> barrier_;
  std::vector<const void*> buffers_;
};

class ThreadTotals : public Communicator {
 public:
  ThreadTotals(ThreadCommunicator& communicator, std::size_t rank)
      : communicator_(communicator), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return communicator_.size(); }
  using Communicator::allreduce;
  void allreduce(std::span<double> values) const override {
    std::vector<double> total(values.size(), 0.0);
    communicator_.exchange(rank_, values.data(), [&](std::span<const void* const> buffers) {
      for (const void* of_rank : buffers) {
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
    const std::vector<double> gathered = allgather(part);
    if (rank == rank_) std::ranges::copy(gathered, all.begin());
  }
  void broadcast(std::size_t rank, std::span<double> values) const override {
    communicator_.exchange(rank_, values.data(), [&](std::span<const void* const> buffers) {
      if (rank == rank_) return;
      std::copy_n(static_cast<const double*>(buffers[rank]), values.size(), values.begin());
    });
  }
  void allreduce_lists(std::span<const std::span<double>> lists) const override {
    for (const std::span<double> list : lists) allreduce(list);
  }
  using Communicator::allreduce_max;
  void allreduce_max(std::span<double> values) const override {
    std::vector<double> largest(values.begin(), values.end());
    communicator_.exchange(rank_, values.data(), [&](std::span<const void* const> buffers) {
      for (const void* of_rank : buffers) {
        const auto* from = static_cast<const double*>(of_rank);
        for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], from[k]);
      }
    });
    std::ranges::copy(largest, values.begin());
  }

  std::vector<double> allgather(std::span<const double> values) const override {
    std::vector<double> all;
    communicator_.exchange(rank_, &values, [&](std::span<const void* const> buffers) {
      for (const void* of_rank : buffers) {
        const auto& from = *static_cast<const std::span<const double>*>(of_rank);
        all.insert(all.end(), from.begin(), from.end());
      }
    });
    return all;
  }

 private:
  ThreadCommunicator& communicator_;
  std::size_t rank_;
};

/// work(comm) on `size` threads, each with the communicator of its rank.
template <class Work>
void run_on_ranks(std::size_t size, const Work& work) {
  ThreadCommunicator communicator(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] { work(ThreadTotals(communicator, rank)); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace cone::testing
