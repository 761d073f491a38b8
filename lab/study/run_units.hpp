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

/// An independent computation.
struct Unit {
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
