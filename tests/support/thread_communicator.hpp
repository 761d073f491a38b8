#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "cone/context.hpp"

#include "base/numeric.hpp"

namespace cone::testing {

/// Where ranks that are threads of one process meet.
class ThreadGroup {
 public:
  explicit ThreadGroup(std::size_t size) : buffers_(size, nullptr) {}

  std::size_t size() const { return buffers_.size(); }
  /// Throws where another rank has left, which will never come.
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    const std::size_t generation = generation_;
    if (++num_waiting_ == size()) {
      num_waiting_ = 0;
      ++generation_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return generation_ != generation || has_left_; });
    if (generation_ == generation) throw std::runtime_error("another rank has left");
  }
  /// Calls look with the buffers of all ranks, which stay until all ranks have looked.
  template <class Look>
  void exchange(std::size_t rank, const void* own, const Look& look) {
    buffers_[rank] = own;
    wait_for_all();
    look(std::span<const void* const>(buffers_));
    wait_for_all();
  }
  /// A rank has returned (null) or thrown.
  void leave(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    has_left_ = true;
    changed_.notify_all();
  }
  /// Throws what the first rank threw, if any.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::vector<const void*> buffers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t num_waiting_ = 0;
  std::size_t generation_ = 0;
  bool has_left_ = false;
  std::exception_ptr error_;
};

/// The communicator of one rank of a group.
class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(ThreadGroup& group, std::size_t rank) : group_(group), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return group_.size(); }

  /// Calls look with the `own` of all ranks.
  template <class T, class Look>
  void exchange(const T& own, const Look& look) const {
    group_.exchange(rank_, &own, [&](std::span<const void* const> buffers) {
      for (std::size_t r = 0; r < buffers.size(); ++r) look(r, *static_cast<const T*>(buffers[r]));
    });
  }

 protected:
  void do_allreduce(std::span<double> values) const override {
    std::vector<double> sums(values.size(), 0.0);
    exchange(values, [&](std::size_t, std::span<const double> from) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += from[k];
    });
    std::ranges::copy(sums, values.begin());
  }
  void do_allreduce_max(std::span<double> values) const override {
    std::vector<double> largest(values.begin(), values.end());
    exchange(values, [&](std::size_t, std::span<const double> from) {
      for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], from[k]);
    });
    std::ranges::copy(largest, values.begin());
  }
  void do_reduce_scatter(std::span<double> values,
                         std::span<const std::size_t> begins) const override {
    do_allreduce(values);
    std::fill_n(values.begin(), begins[rank_], kNaN);  // nobody may rely on the others' sums
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(begins[rank_ + 1]), values.end(), kNaN);
  }
  void do_broadcast(std::size_t root, std::span<std::byte> values) const override {
    exchange(values, [&](std::size_t r, std::span<const std::byte> from) {
      if (r == root && r != rank_) std::ranges::copy(from, values.begin());
    });
  }
  void do_allgatherv(std::span<const std::byte> own, std::span<const std::uint64_t> /*sizes*/,
                     std::span<std::byte> all) const override {
    auto next = all.begin();
    exchange(own, [&](std::size_t, std::span<const std::byte> from) {
      next = std::ranges::copy(from, next).out;
    });
  }
  void do_alltoallv(std::span<const std::span<const std::byte>> parts, const Allocate& allocate,
                    const Release& release) const override {
    exchange(parts, [&](std::size_t r, std::span<const std::span<const std::byte>> from) {
      std::ranges::copy(from[rank_], allocate(r, from[rank_].size()).begin());
    });
    for (std::size_t r = 0; r < size(); ++r) release(r);
  }
  void do_barrier() const override { group_.wait_for_all(); }

 private:
  ThreadGroup& group_;
  std::size_t rank_;
};

/// work(comm) on `size` threads, each with the communicator of its rank. Throws what the first rank
/// threw; a rank that waits for one that threw or returned throws too.
template <class Work>
void run_on_ranks(std::size_t size, const Work& work) {
  ThreadGroup group(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const ThreadCommunicator comm(group, rank);
      std::exception_ptr error;
      try {
        work(comm);
      } catch (...) {
        error = std::current_exception();
      }
      group.leave(std::move(error));
    });
  }
  for (std::thread& thread : threads) thread.join();
  group.rethrow();
}

}  // namespace cone::testing
