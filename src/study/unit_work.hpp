#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "study/unit_store.hpp"

namespace cone {

/// One of several processes, maybe on several machines, that share the work of an experiment.
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
  /// After its own part, also compute what other shards have not finished: the next step of the
  /// experiment stands on all of it. At worst a unit is computed twice.
  bool does_what_is_missing = false;
  /// Called before units are computed, and where some are left to other shards: a conclusion that
  /// lies in the folder was drawn from others. May be called several times.
  std::function<void()> when_incomplete = {};
};

/// Thrown where a shard has done its part and other shards have not: there is nothing to sum up
/// yet. It is an outcome, not a fault, and so no Error.
class OtherShardsAreBusy : public std::exception {
 public:
  OtherShardsAreBusy(const Shard& shard, std::size_t num_units, std::size_t num_missing);
  /// A sentence for the user.
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

}  // namespace cone
