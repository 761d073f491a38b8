#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cone {

/// A fixed set of threads that run numbered tasks. The calling thread works too. Tasks started from
/// within a task of the same pool run inline, one after the other: parallelism is never nested. Any
/// number of threads may call run() concurrently: one of them gets the threads, and the others run
/// their tasks inline until it is done. Idle threads spin for about 50 µs, then sleep.
class ThreadPool {
 public:
  /// `num_threads` includes the caller; 0 means one per core. At most 256 or the number of cores,
  /// whichever is larger; fewer where the system refuses.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(0) ... task(count − 1), each once, in no particular order, and returns when all are
  /// done. `on_progress(done)`, where given, is called on the calling thread from time to time;
  /// when it returns false no further task starts and Cancelled is thrown. An exception of a task
  /// stops the rest and is rethrown here (that of the lowest task number seen), and so is one of
  /// on_progress. No task is running when this returns or throws.
  void run(std::size_t count, const std::function<void(std::size_t)>& task,
           const std::function<bool(std::size_t)>& on_progress = {});
  /// The same on the calling thread only, in order.
  void run_serially(std::size_t count, const std::function<void(std::size_t)>& task,
                    const std::function<bool(std::size_t)>& on_progress = {}) const;

  /// Whether the calling thread is one that this pool started.
  bool owns_this_thread() const;
  /// Whether the task of the calling thread, if any, should end early, by throwing Cancelled: the
  /// run was cancelled, or another task of it or of an outer run failed.
  static bool stop_requested();

 private:
  struct Job;

  void work();
  /// Spins up to 50 µs for happened(); returns whether it did.
  bool spin_until(const std::function<bool()>& happened) const;
  void run_tasks(Job& job, bool report) const;
  void run_job(Job& job);

  std::mutex mutex_;
  std::condition_variable job_ready_;
  std::condition_variable workers_idle_;
  Job* job_ = nullptr;                            // guarded by mutex_
  std::uint64_t job_number_ = 0;                  // guarded by mutex_
  std::atomic<std::uint64_t> announcements_ = 0;  // changed under mutex_; read by spinning threads
  std::atomic<std::size_t> num_working_ = 0;      // changed under mutex_
  std::atomic<bool> is_taken_ = false;            // by a caller of run()
  bool shutting_down_ = false;                    // guarded by mutex_
  bool spins_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace cone
