#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

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

}  // namespace cone
