#include "study/run_units.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/text.hpp"

#include "exec/one_blas_thread.hpp"

namespace cone {
namespace {

/// Reports finished units, not the phases within them, to the caller's observer. Units poll it, so
/// that cancellation takes effect within a step of their computation.
class UnitsWatch : public ProgressObserver {
 public:
  UnitsWatch(const Context& context, const std::string& phase, std::size_t num_units)
      : context_(context), phase_(phase), num_units_(num_units) {}

  bool update(std::string_view, std::uint64_t, std::uint64_t) override {
    context_.report(phase_, num_done_, num_units_);
    return true;
  }
  void count_unit() { ++num_done_; }

 private:
  const Context& context_;
  const std::string& phase_;
  const std::size_t num_units_;
  std::atomic<std::size_t> num_done_ = 0;
};

UnitRecord run_unit(const Context& side_by_side, const Unit& unit) {
  const OneBlasThread guard;
  const Context context = side_by_side.with_seed(unit.identity.seed).on_one_thread();
  const Stopwatch stopwatch;
  UnitRecord record;
  try {
    record.result = unit.run(context);
  } catch (const Error& error) {
    record.status = UnitStatus::kFailed;
    record.error = error.what();
  }
  record.seconds = stopwatch.seconds();
  return record;
}

void require_distinct(std::span<const Unit> units) {
  std::set<std::string> ids;
  for (const Unit& unit : units) {
    require(ids.insert(unit.identity.id()).second, "run_units: a unit is listed twice");
  }
}

/// Checked here, so that a stored result of the wrong structure is recomputed.
bool has_right_shape(const Unit& unit, const UnitRecord& record) {
  return record.status == UnitStatus::kFailed || !unit.accepts || unit.accepts(record.result);
}

/// Takes the stored records of the units and returns the indices of the missing ones.
std::vector<std::size_t> take_records(const UnitStore& store, std::span<const Unit> units,
                                      std::span<const std::size_t> numbers, bool retry_failed,
                                      UnitsReport& report) {
  std::vector<std::size_t> left;
  for (const std::size_t u : numbers) {
    UnitStore::Found found = store.find(units[u].identity);
    if (found.record && !has_right_shape(units[u], *found.record)) {
      found = {.problem = store.file_of(units[u].identity.id()).string() + " is damaged"};
    }
    if (!found.problem.empty()) {
      report.remarks.push_back(found.problem + ": the job is recomputed");
    }
    if (!found.record || (retry_failed && found.record->status == UnitStatus::kFailed)) {
      left.push_back(u);
      continue;
    }
    report.records[u] = std::move(*found.record);
    ++report.num_reused;
  }
  return left;
}

void compute_units(const Context& context, const UnitStore& store, std::span<const Unit> units,
                   std::span<const std::size_t> numbers, const std::string& phase,
                   UnitsReport& report) {
  UnitsWatch watch(context, phase, numbers.size());
  const Context side_by_side = context.with_observer(&watch);
  side_by_side.for_each_task(phase, numbers.size(), [&](std::size_t k) {
    const Unit& unit = units[numbers[k]];
    // As read back from the file, so that a resumed run is bitwise equal.
    report.records[numbers[k]] = store.save(unit.identity, run_unit(side_by_side, unit));
    watch.count_unit();
  });
}

}  // namespace

Shard parse_shard(std::string_view text) {
  constexpr std::size_t kMostShards = 100'000;
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  bool is_good = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
  if (is_good) {
    const auto count = std::from_chars(number.ptr + 1, end, shard.count);
    is_good = count.ec == std::errc() && count.ptr == end && shard.number >= 1 &&
              shard.number <= shard.count && shard.count <= kMostShards;
  }
  if (is_good) return shard;
  throw Error(ErrorCode::kUsage,
              {{.item = "--shard"},
               fmt::format("is {}, must be NUMBER/COUNT", printable(std::string(text))),
               "write 1/4, 2/4, 3/4 and 4/4 for four processes"});
}

OtherShardsAreBusy::OtherShardsAreBusy(const Shard& shard, std::size_t num_units,
                                       std::size_t num_missing)
    : sentence_(fmt::format(
          "shard {}/{} is finished; {} of {} jobs are left to other shards (which must have the "
          "same options, seed and version). The shard that finishes last writes the results, or "
          "this command when all jobs are done",
          shard.number, shard.count, grouped(num_missing), grouped(num_units))) {}

bool lacks_units(const UnitWork& work, std::span<const Unit> units) {
  return std::any_of(units.begin(), units.end(), [&](const Unit& unit) {
    const UnitStore::Found found = work.store.find(unit.identity);
    return !found.record || !has_right_shape(unit, *found.record) ||
           (work.retry_failed && found.record->status == UnitStatus::kFailed);
  });
}

UnitsReport run_units(const Context& context, const UnitWork& work, std::span<const Unit> units,
                      const std::string& phase) {
  require_distinct(units);
  UnitsReport report;
  report.records.resize(units.size());
  std::vector<std::size_t> own;
  std::vector<std::size_t> others;
  for (std::size_t u = 0; u < units.size(); ++u) {
    (work.shard.owns(u) ? own : others).push_back(u);
  }
  own = take_records(work.store, units, own, work.retry_failed, report);
  if (!own.empty() && work.when_incomplete) work.when_incomplete();
  compute_units(context, work.store, units, own, phase, report);
  // Units that failed in other shards are retried by their owner.
  const std::vector<std::size_t> missing =
      take_records(work.store, units, others, /*retry_failed=*/false, report);
  if (!missing.empty() && work.when_incomplete) work.when_incomplete();
  if (!missing.empty() && !work.computes_missing) {
    throw OtherShardsAreBusy(work.shard, units.size(), missing.size());
  }
  compute_units(context, work.store, units, missing, phase, report);
  for (const UnitRecord& record : report.records) {
    report.num_failed += record.status == UnitStatus::kFailed ? 1 : 0;
  }
  return report;
}

}  // namespace cone
