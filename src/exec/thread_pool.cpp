#include "exec/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <system_error>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {
namespace {

/// How often a caller that has run out of tasks reports the progress of the others.
constexpr std::chrono::milliseconds kProgressInterval(50);

/// Training is a rapid succession of short parallel loops. An idle thread spins this long before it
/// sleeps, because waking it takes tens of microseconds.
constexpr std::chrono::microseconds kSpinTime(50);
constexpr int kPausesPerLook = 16;

/// The limit of threads, where there are not more cores.
constexpr int kMostThreads = 256;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// A task that this thread is running, and the task that it was started from, on this thread or on
/// the one that called run().
struct TaskFrame {
  const ThreadPool* pool;
  const std::atomic<bool>* stop;  // null for serial runs, which no other thread can stop
  const TaskFrame* outer;
};

thread_local const TaskFrame* innermost = nullptr;
thread_local const ThreadPool* owner = nullptr;  // the pool that started this thread

class InsideTask {
 public:
  InsideTask(const ThreadPool* pool, const std::atomic<bool>* stop, const TaskFrame* outer)
      : frame_{pool, stop, outer}, previous_(innermost) {
    innermost = &frame_;
  }
  ~InsideTask() { innermost = previous_; }
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;

 private:
  const TaskFrame frame_;
  const TaskFrame* previous_;
};

bool is_inside_task_of(const ThreadPool* pool) {
  for (const TaskFrame* frame = innermost; frame != nullptr; frame = frame->outer) {
    if (frame->pool == pool) return true;
  }
  return false;
}

}  // namespace

struct ThreadPool::Job {
  const std::function<void(std::size_t)>& task;
  const std::function<bool(std::size_t)>& on_progress;
  std::size_t count;
  const TaskFrame* outer;  // of the caller, which waits for this job
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> cancelled{false};
  std::mutex failure_mutex;
  std::exception_ptr failure;  // guarded by failure_mutex
  std::size_t failed_task = std::numeric_limits<std::size_t>::max();

  void record_failure(std::size_t number) {
    const std::lock_guard lock(failure_mutex);
    if (!failure || number < failed_task) {
      failed_task = number;
      failure = std::current_exception();
    }
    stop = true;
  }
  /// A task that ends early because another failed throws Cancelled too: that must not hide the
  /// failure.
  void record_cancelled() {
    cancelled = true;
    stop = true;
  }
  /// Never throws: the other threads still use this job.
  void report() {
    if (!on_progress || stop) return;
    try {
      if (!on_progress(done.load())) record_cancelled();
    } catch (const Cancelled&) {
      record_cancelled();
    } catch (...) {
      record_failure(count);
    }
  }
};

ThreadPool::ThreadPool(int num_threads) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int wanted = std::min(num_threads > 0 ? num_threads : cores, std::max(kMostThreads, cores));
  spins_ = wanted <= cores;  // a spinning thread must not keep a working one from its core
  workers_.reserve(static_cast<std::size_t>(wanted) - 1);
  try {
    for (int i = 1; i < wanted; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system refuses more threads: work with those there are. Results are the same.
  }
  expect_blas_threads(this->num_threads());
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    shutting_down_ = true;
    ++announcements_;
  }
  job_ready_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool ThreadPool::spin_until(const std::function<bool()>& happened) const {
  if (!spins_) return happened();
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (happened()) return true;
      pause();
    }
    std::this_thread::yield();  // perhaps to the thread that this one waits for
  } while (std::chrono::steady_clock::now() - start < kSpinTime);
  return happened();
}

bool ThreadPool::owns_this_thread() const { return owner == this; }

bool ThreadPool::stop_requested() {
  for (const TaskFrame* frame = innermost; frame != nullptr; frame = frame->outer) {
    if (frame->stop != nullptr && *frame->stop) return true;
  }
  return false;
}

void ThreadPool::work() {
  owner = this;
  std::uint64_t seen_job = 0;
  std::uint64_t seen_announcement = 0;
  while (true) {
    const bool announced = spin_until([&] { return announcements_ != seen_announcement; });
    std::unique_lock lock(mutex_);
    seen_announcement = announcements_;
    const auto has_work = [&] {
      return shutting_down_ || (job_ != nullptr && job_number_ != seen_job);
    };
    // The job was over before this thread saw it; the next may follow at once.
    if (announced && !has_work()) continue;
    job_ready_.wait(lock, has_work);
    if (shutting_down_) return;
    seen_job = job_number_;
    Job& job = *job_;
    ++num_working_;
    lock.unlock();
    run_tasks(job, /*report=*/false);
    lock.lock();
    if (--num_working_ == 0) workers_idle_.notify_all();
  }
}

void ThreadPool::run_tasks(Job& job, bool report) const {
  const InsideTask guard(this, &job.stop, job.outer);
  while (!job.stop) {
    const std::size_t number = job.next.fetch_add(1);
    if (number >= job.count) return;
    try {
      job.task(number);
    } catch (const Cancelled&) {
      job.record_cancelled();
    } catch (...) {
      job.record_failure(number);
    }
    ++job.done;
    if (report) job.report();
  }
}

void ThreadPool::run_serially(std::size_t count, const std::function<void(std::size_t)>& task,
                              const std::function<bool(std::size_t)>& on_progress) const {
  // Within a task, the observer would be called on another thread than the caller's: skip it.
  const bool reports = on_progress && !is_inside_task_of(this);
  const InsideTask guard(this, nullptr, innermost);
  for (std::size_t number = 0; number < count; ++number) {
    task(number);
    if (reports && !on_progress(number + 1)) throw Cancelled();
  }
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task,
                     const std::function<bool(std::size_t)>& on_progress) {
  if (count == 0) return;
  if (workers_.empty() || count == 1 || is_inside_task_of(this) || is_taken_.exchange(true)) {
    return run_serially(count, task, on_progress);
  }
  Job job{.task = task, .on_progress = on_progress, .count = count, .outer = innermost};
  run_job(job);
  is_taken_ = false;
  if (job.failure) std::rethrow_exception(job.failure);
  if (job.cancelled) throw Cancelled();
}

/// Never throws: exceptions of tasks and reports are stored in the job.
void ThreadPool::run_job(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    ++job_number_;
    ++announcements_;
  }
  job_ready_.notify_all();
  run_tasks(job, /*report=*/true);
  std::unique_lock lock(mutex_);
  job_ = nullptr;  // a worker that wakes up late finds nothing
  if (num_working_ != 0) {
    lock.unlock();
    spin_until([&] { return num_working_ == 0; });
    lock.lock();
  }
  while (!workers_idle_.wait_for(lock, kProgressInterval, [&] { return num_working_ == 0; })) {
    lock.unlock();
    job.report();
    lock.lock();
  }
}

}  // namespace cone
