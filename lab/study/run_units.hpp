#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"

#include "study/unit_store.hpp"

namespace cone {

/// One of several processes, possibly on several machines, that share an experiment.
struct Shard {
  std::size_t number = 1;  ///< from 1 to count
  std::size_t count = 1;

  /// Every shard sees the same list of units and takes every count-th of them.
  bool owns(std::size_t unit) const { return unit % count + 1 == number; }
};

/// "2/8". Throws Error(kUsage).
Shard parse_shard(std::string_view text);

/// Where an experiment keeps its units, and which of them this process computes.
struct UnitWork {
  UnitStore store;
  bool retry_failed = false;  ///< compute units again that an earlier run recorded as failed
  Shard shard = {};
  /// After its own part, also compute the missing units of other shards: the next step of the
  /// experiment depends on all of them. At worst a unit is computed twice.
  bool computes_missing = false;
  /// Called before units are computed, and where some are left to other shards: earlier results in
  /// the folder are then out of date. May be called several times.
  std::function<void()> when_incomplete = {};
};

/// Thrown where a shard is finished and others are not, so that results cannot be summarised yet.
/// Not an Error, because it is a regular outcome.
class OtherShardsAreBusy : public std::exception {
 public:
  OtherShardsAreBusy(const Shard& shard, std::size_t num_units, std::size_t num_missing);
  /// A sentence for the user.
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

/// An independent computation.
struct Unit {
  std::string name = {};  ///< in messages; not part of what it is
  UnitIdentity identity;
  /// Gets a context of one thread with the identity's seed. Throws Error where the unit fails, and
  /// Cancelled (instead of returning) where it was cancelled.
  std::function<nlohmann::ordered_json(const Context&)> run;
  /// Whether a stored result has the right structure; others are recomputed. Empty: accepts any.
  std::function<bool(const nlohmann::ordered_json&)> accepts;
};

struct UnitsReport {
  /// One record per unit, in the order of the units. Each is as read back from disk, so that fresh
  /// and resumed runs agree to the last bit.
  std::vector<UnitRecord> records;
  std::size_t num_reused = 0;
  std::size_t num_failed = 0;
  std::vector<std::string> remarks;  ///< stored records that could not be used
};

/// Computes the units without a record in the store, concurrently on the context's threads, and
/// stores each as it finishes. So a killed run can be resumed, and a failing unit is recorded
/// without stopping the others. Results do not depend on the order or the number of threads or
/// shards. `phase` is the label of the progress.
///
/// Throws Cancelled soon after the observer asked to stop, Error(kIo) where a record cannot be
/// written, and OtherShardsAreBusy where this shard is done and others are not; finished units are
/// kept.
UnitsReport run_units(const Context& context, const UnitWork& work, std::span<const Unit> units,
                      const std::string& phase);

/// Whether run_units would compute something, or leave it to other shards.
bool lacks_units(const UnitWork& work, std::span<const Unit> units);

}  // namespace cone
