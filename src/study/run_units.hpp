#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"

#include "study/unit_work.hpp"

namespace cone {

/// A computation that depends on no other unit.
struct Unit {
  UnitIdentity identity;
  /// Gets a context of one thread with the identity's seed. May throw Error: the unit has failed
  /// then. Where its computation was cancelled it must throw Cancelled, not return.
  std::function<nlohmann::ordered_json(const Context&)> run;
  /// Whether a stored result has the shape that `run` gives; without it any has. Others are
  /// computed anew.
  std::function<bool(const nlohmann::ordered_json&)> accepts;
};

struct UnitsReport {
  /// One record per unit, in the order of the units. Each is as read back from disk, so that fresh
  /// and resumed runs agree to the last bit.
  std::vector<UnitRecord> records;
  std::size_t num_reused = 0;
  std::size_t num_failed = 0;
  std::vector<std::string> remarks;  ///< records that were there and could not be used
};

/// Computes those units that the store has no record of, side by side on the context's threads, and
/// stores each as it is finished. So a run that was killed goes on where it was, and a failing unit
/// is recorded without stopping the others. Results do not depend on the order, the number of
/// threads or of shards. `phase` is what the progress is called.
///
/// Throws Cancelled soon after the observer asked to stop, Error(kIo) where a record cannot be
/// written, and OtherShardsAreBusy where this shard is done and others are not; what was finished
/// by then stays.
UnitsReport run_units(const Context& context, const UnitWork& work, std::span<const Unit> units,
                      const std::string& phase);

/// Whether run_units would compute something, or leave it to other shards.
bool lacks_units(const UnitWork& work, std::span<const Unit> units);

}  // namespace cone
