#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cone/matrix.hpp"

/// \file
/// Where and how a computation runs: threads, ranks, seed and progress, and its expected time.

namespace cone {

/// A row of a distributed table: the rank that owns it, and its index there.
struct RemoteRow {
  std::uint64_t rank;
  std::uint64_t row;
};

/// The ghost rows of a rank's tables: rows of other ranks behind its own.
struct GhostLayout {
  std::size_t num_owned = 0;
  std::size_t num_ghosts = 0;
  std::span<const RemoteRow> remote;        ///< the rows to fetch
  std::span<const std::uint32_t> ghost_of;  ///< the ghost row that each becomes; empty: in order
};

/// A table that includes ghost rows: where there are none, a view of the own rows, else a copy.
class GhostedTable {
 public:
  explicit GhostedTable(MatrixView<const double> own) : view_(own) {}
  explicit GhostedTable(Matrix<double> own)
      : own_(std::make_unique<Matrix<double>>(std::move(own))), view_(own_->view()) {}

  MatrixView<const double> view() const { return view_; }

 private:
  std::unique_ptr<Matrix<double>> own_;
  MatrixView<const double> view_;
};

/// Fetches ghost rows from their owners (Communicator::connect_ghosts). This base class is the case
/// of one process, which has none. Its functions are collective unless stated otherwise.
class GhostRows {
 public:
  virtual ~GhostRows() = default;
  /// Whether rows are distributed over several ranks. Not collective.
  virtual bool is_distributed() const { return false; }
  /// Sets the ghost rows of a table.
  virtual void fetch(Matrix<double>& /*table*/) const {}
  /// The own rows, then the ghost rows; `own` must outlive it.
  virtual GhostedTable with_ghosts(MatrixView<const double> own) const { return GhostedTable(own); }
};

/// Collective operations over ranks, named as in MPI: every rank calls them in the same order. This
/// base class is one process that has all nodes, in which they cost a comparison or a copy of their
/// arguments. A transport overrides the protected functions; each is called on several ranks only,
/// but for do_alltoallv().
///
/// Sums are the same on every rank and in every run on as many ranks, and equal for different
/// numbers of ranks up to rounding.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// One process that has all nodes.
  static const Communicator& self();
  /// Rank and number of ranks; work that would be the same on every rank may be divided by them.
  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  bool is_root() const { return rank() == 0; }
  /// Whether there are other ranks.
  bool has_others() const { return size() > 1; }

  /// Replaces the values by their sums over all ranks.
  void allreduce(std::span<double> values) const {
    if (has_others()) do_allreduce(values);
  }
  double allreduce(double value) const {
    allreduce(std::span(&value, 1));
    return value;
  }
  std::uint64_t allreduce(std::uint64_t value) const;
  /// allreduce of several lists, in one message.
  void allreduce_lists(std::span<const std::span<double>> lists) const;
  /// Replaces every value by its maximum over all ranks.
  void allreduce_max(std::span<double> values) const {
    if (has_others()) do_allreduce_max(values);
  }
  double allreduce_max(double value) const {
    allreduce_max(std::span(&value, 1));
    return value;
  }
  std::uint64_t allreduce_max(std::uint64_t value) const;
  bool any(bool value) const { return allreduce_max(value ? 1.0 : 0.0) > 0; }
  /// The sum of a local count over all ranks.
  double count(std::size_t local) const { return allreduce(static_cast<double>(local)); }
  /// The sum over the ranks below this one; 0 on rank 0.
  std::uint64_t exclusive_scan(std::uint64_t value) const;
  /// Rank r gets the sums of [begins[r], begins[r + 1]); the other values are unspecified
  /// afterwards.
  void reduce_scatter(std::span<double> values, std::span<const std::size_t> begins) const {
    if (has_others()) do_reduce_scatter(values, begins);
  }

  /// Copies the root's values, equally many on all ranks, to all ranks.
  template <std::ranges::contiguous_range Range>
  void broadcast(std::size_t root, Range&& values) const {
    if (has_others()) do_broadcast(root, std::as_writable_bytes(std::span(values)));
  }
  /// Gathers the parts of all ranks on the root: that of rank r becomes [begins[r], begins[r + 1])
  /// of `all`, which the other ranks leave empty.
  void gather(std::size_t root, std::span<const double> part, std::span<const std::size_t> begins,
              std::span<double> all) const;
  /// The objects of all ranks, concatenated in rank order, on every rank: for small data.
  template <std::ranges::contiguous_range Range>
  std::vector<std::ranges::range_value_t<Range>> allgatherv(const Range& own) const {
    using Value = std::ranges::range_value_t<Range>;
    static_assert(std::is_trivially_copyable_v<Value>);
    if (!has_others()) return {std::ranges::begin(own), std::ranges::end(own)};
    const std::span<const Value> values(own);
    const std::vector<std::uint64_t> sizes = allgather(std::uint64_t{values.size_bytes()});
    std::size_t num_bytes = 0;
    for (const std::uint64_t size : sizes) num_bytes += size;
    std::vector<Value> all(num_bytes / sizeof(Value));
    do_allgatherv(std::as_bytes(values), sizes, std::as_writable_bytes(std::span(all)));
    return all;
  }
  /// One element per rank.
  std::vector<std::uint64_t> allgather(std::uint64_t value) const;
  std::vector<std::string> allgather(const std::string& text) const;

  /// parts[r] goes to rank r; the result has one part per sending rank.
  template <class T>
  std::vector<std::vector<T>> alltoallv(const std::vector<std::vector<T>>& parts) const {
    return alltoallv_parts(parts, [](std::size_t) {});
  }
  /// The same; the memory of every part is freed as soon as it is sent.
  template <class T>
  std::vector<std::vector<T>> alltoallv(std::vector<std::vector<T>>&& parts) const {
    return alltoallv_parts(parts, [&](std::size_t to) { parts[to] = std::vector<T>(); });
  }

  /// Waits for all ranks; sleeps instead of spinning, as some ranks may compute for long.
  void barrier() const {
    if (has_others()) do_barrier();
  }
  /// How many cores each of `num_busy` ranks may use while the others wait in the barrier.
  virtual int count_cores_for(std::size_t /*num_busy*/) const { return 1; }

  /// Connects the ghost rows of tables to their owners. Must outlive the result. Collective; by
  /// default every fetch() is an alltoallv() of the rows that are wanted.
  virtual std::unique_ptr<GhostRows> connect_ghosts(const GhostLayout& layout) const;

  /// What this rank sent, the number of collective operations and the time spent in them.
  struct Traffic {
    std::uint64_t num_bytes = 0;
    std::uint64_t num_calls = 0;
    double seconds = 0;
  };
  /// Zeros where nothing is counted.
  virtual Traffic traffic() const { return {}; }

 protected:
  /// Where do_alltoallv() puts what it receives: allocate(from, number of bytes).
  using Allocate = std::function<std::span<std::byte>(std::size_t, std::size_t)>;
  /// Called when a part was sent: release(to).
  using Release = std::function<void(std::size_t)>;

  virtual void do_allreduce(std::span<double> /*values*/) const {}
  virtual void do_allreduce_max(std::span<double> /*values*/) const {}
  virtual void do_reduce_scatter(std::span<double> values,
                                 std::span<const std::size_t> /*begins*/) const {
    do_allreduce(values);
  }
  virtual void do_broadcast(std::size_t /*root*/, std::span<std::byte> /*values*/) const {}
  virtual void do_gather(std::size_t root, std::span<const double> part,
                         std::span<const std::size_t> begins, std::span<double> all) const;
  /// `sizes`: numbers of bytes of all ranks.
  virtual void do_allgatherv(std::span<const std::byte> /*own*/,
                             std::span<const std::uint64_t> /*sizes*/,
                             std::span<std::byte> /*all*/) const {}
  /// One part per receiving rank.
  virtual void do_alltoallv(std::span<const std::span<const std::byte>> parts,
                            const Allocate& allocate, const Release& release) const;
  virtual void do_barrier() const {}

 private:
  template <class T>
  std::vector<std::vector<T>> alltoallv_parts(const std::vector<std::vector<T>>& parts,
                                              const Release& release) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::span<const std::byte>> bytes;
    bytes.reserve(parts.size());
    for (const std::vector<T>& part : parts) bytes.push_back(std::as_bytes(std::span(part)));
    std::vector<std::vector<T>> out(size());
    do_alltoallv(
        bytes,
        [&](std::size_t from, std::size_t num_bytes) {
          out[from].resize(num_bytes / sizeof(T));
          return std::as_writable_bytes(std::span(out[from]));
        },
        release);
    return out;
  }
};

class ThreadPool;
class Communicator;

/// A part of a run: its phases lie between `begin` and `end`, shares of the expected time of the
/// whole run.
struct ProgressStage {
  std::string label;  ///< "ridge (3 of 7 models), fold 2 of 5"; empty outside of any stage
  double begin = 0;
  double end = 1;
};

/// Observes a run. Always called on the thread that called the library.
class ProgressObserver {
 public:
  virtual ~ProgressObserver() = default;
  /// `done` of `total` units of `phase` are finished. Returning false asks the run to stop; it does
  /// so at the next safe point. Long computations ask about twenty times a second, with the same
  /// numbers as long as nothing is finished.
  virtual bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) = 0;
  /// The run enters this stage, or returns to it.
  virtual void enter(const ProgressStage& /*stage*/) {}
};

struct ContextOptions {
  std::uint64_t seed = 0;
  int threads = 0;                       ///< 0: one per core
  ProgressObserver* progress = nullptr;  ///< must outlive the context
};

/// Where and how a computation runs: threads, seed, observer. Passed to everything that computes.
/// Results are a function of the seed and the inputs, never of the number of threads.
///
/// A handle: copies share the threads and the observer, and cost no more than a few pointers.
/// Several threads may compute at the same time on copies of one context, or on the same one. The
/// loops of one of them then run in parallel and those of the others serially, by turns. The
/// observer is called on these threads only, never on those of the context, and by one at a time;
/// stages (StageScope) are for one computation at a time.
class Context {
 public:
  explicit Context(const ContextOptions& options = {});

  /// The same threads and observer.
  Context with_seed(std::uint64_t seed) const;
  /// The same threads and seed with another observer (null: none).
  Context with_observer(ProgressObserver* progress) const;
  /// The same seed and observer, on its own threads.
  Context with_threads(int num_threads) const;
  /// The same context if it has this many threads, otherwise one on its own threads.
  Context widen(int num_threads) const;
  /// The same seed and observer, all loops on the calling thread.
  Context on_one_thread() const;
  /// The same for a computation that all ranks of `comm` take part in, each with a part of the
  /// nodes and on one thread: sums over nodes are allreduced by `comm`, which must outlive all
  /// copies. With Communicator::self() for what this rank computes alone, on the threads that it
  /// has.
  Context shared_by(const Communicator& comm) const;

  std::uint64_t seed() const { return seed_; }
  int num_threads() const;
  /// Reductions over the ranks that have a part of the nodes; of one process, no communication.
  const Communicator& comm() const { return *comm_; }

  /// Runs `count` tasks in parallel and reports each under the name of the phase. Throws Cancelled
  /// when the observer asks to stop.
  void for_each_task(std::string_view phase, std::size_t count,
                     const std::function<void(std::size_t)>& task) const;

  /// Calls body(begin, end) on consecutive pieces of [0, count) of `grain` items each (the last may
  /// be shorter). The pieces depend on count and grain only. Asks the observer now and then, and
  /// throws Cancelled when it asks to stop.
  void for_each_range(std::size_t count, std::size_t grain,
                      const std::function<void(std::size_t, std::size_t)>& body) const;

  /// Like for_each_range, with body(begin, end) → T collected in the order of the pieces: reduce
  /// over the returned vector and the result is the same at any number of threads.
  template <class T, class Body>
  std::vector<T> map_ranges(std::size_t count, std::size_t grain, const Body& body) const {
    std::vector<T> results((count + grain - 1) / grain);
    for_each_range(count, grain, [&](std::size_t begin, std::size_t end) {
      results[begin / grain] = body(begin, end);
    });
    return results;
  }

  /// Reports a step of a phase. Throws Cancelled when asked to stop. Within a task on another
  /// thread it is poll().
  void report(std::string_view phase, std::uint64_t done, std::uint64_t total) const;

  /// A safe point of a long computation, to be called at least every 50 ms or so; costs tens of
  /// nanoseconds. On the calling thread it asks the observer about twenty times a second; on any
  /// thread it throws Cancelled when the task at hand was told to stop.
  void poll() const;

 private:
  friend class StageScope;
  friend void run_side_by_side(const Context& context, std::string_view phase, std::size_t count,
                               const std::function<void(std::size_t, const Context&)>& task);
  class Reporter;
  using Tasks = std::function<void(std::size_t)>;

  void run(std::size_t count, const Tasks& task,
           const std::function<bool(std::size_t)>& on_progress) const;

  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<Reporter> reporter_;  // null without an observer
  std::uint64_t seed_;
  bool is_serial_ = false;
  const Communicator* comm_;
};

/// While it lives, the phases of the run belong to a stage: from `begin` to `end`, as shares of the
/// stage it is entered from (of the whole run, where there is none). Stages may be nested.
/// Within a task on another thread it does nothing.
class StageScope {
 public:
  StageScope(const Context& context, std::string_view label, double begin, double end);
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  std::shared_ptr<Context::Reporter> reporter_;
  ProgressStage previous_;
};

/// A part of a run and its approximate time.
struct ExpectedCost {
  std::string name;
  double seconds = 0;
};

double total_seconds(std::span<const ExpectedCost> costs);

/// The parts of a run as stages, one after the other, each with the share of the time that it is
/// expected to take.
class StageList {
 public:
  /// Within the stage that the context is in. The context must outlive it.
  StageList(const Context& context, std::vector<ExpectedCost> costs);

  std::size_t size() const { return costs_.size(); }
  /// The run is in stage k until the result is destroyed. `label` replaces the name of the cost if
  /// it is given.
  StageScope enter(std::size_t k, std::string_view label = {}) const;
  /// The same, in one of `count` parts of it that are equally long.
  StageScope enter_part(std::size_t k, std::size_t part, std::size_t count) const;

 private:
  double begin(std::size_t k) const { return k == 0 ? 0 : ends_[k - 1]; }

  const Context& context_;
  std::vector<ExpectedCost> costs_;
  std::vector<double> ends_;  ///< shares of the time, the last is 1
};

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The instruction sets of the processor that matter for the choice of BLAS kernels.
struct VectorUnits {
  bool avx2 = false;    ///< with fused multiply-add
  bool avx512 = false;  ///< the subsets that OpenBLAS's kernels need
};

VectorUnits find_vector_units();

/// The kernels that OpenBLAS chose when it was loaded, by their name ("Haswell", "Zen", ...).
std::string_view loaded_blas_kernels();

/// OpenBLAS identifies processors by model number. A processor newer than the library gets the
/// oldest kernels ("Prescott", without AVX), which made the network ridge three times slower on a
/// Xeon of 2023 with Debian 12. Returns a better value for OPENBLAS_CORETYPE; none where the choice
/// is fine.
std::optional<std::string> name_better_kernels(std::string_view loaded, VectorUnits units);

/// Makes OpenBLAS choose its kernels again, with `name` as OPENBLAS_CORETYPE. Does nothing where
/// the user has set that variable or OpenBLAS has no kernels to choose from. No other thread may
/// call BLAS meanwhile: for a moment there are no kernels.
void choose_blas_kernels(const std::string& name);

/// OpenBLAS allocates a buffer of this size for each concurrent call and keeps it. Where the
/// allocation fails, its allocator retries forever and cannot be interrupted.
inline constexpr std::size_t kBlasBufferBytes = std::size_t{128} << 20;

/// How many threads may call BLAS concurrently. OpenBLAS has a fixed number of buffers: 50, or two
/// per thread that it was built for if that is more. A call beyond them fails: OpenBLAS writes to
/// stdout and dereferences a null pointer. OneBlasThread makes the other threads wait.
int most_blas_callers();

/// Announces this many concurrent callers of BLAS, at most most_blas_callers().
void expect_blas_threads(int num_threads);

/// Makes OpenBLAS allocate the buffers of the expected threads, each after a check that there is
/// memory. Throws std::bad_alloc where there is none. Cheap once it has succeeded; OneBlasThread
/// calls it before the first BLAS call.
void reserve_blas_memory();

/// Whether the address space has room for this much more.
bool has_room_for(std::size_t bytes);

}  // namespace cone
