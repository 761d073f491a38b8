#include "study/unit_work.hpp"

#include <charconv>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

namespace cone {

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

}  // namespace cone
