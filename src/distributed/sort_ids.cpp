#include <algorithm>
#include <utility>

#include "distributed/id_directory.hpp"

namespace cone::distributed {
namespace {

/// Ids of each rank that the borders between ranks are chosen from.
constexpr std::size_t kSampledIds = 256;

struct NumberedId {
  std::string_view id;
  std::uint64_t number;
};

void sort_entries(std::vector<NumberedId>& entries) {
  std::ranges::sort(entries, {}, &NumberedId::id);
}

/// The first id of every rank but the first, in steps through sampled ids.
std::vector<std::string> choose_borders(const Ranks& ranks, std::span<const NumberedId> sorted) {
  Letters own(1);
  const std::size_t count = std::min(kSampledIds, sorted.size());
  for (std::size_t k = 0; k < count; ++k) own.add(0, sorted[k * sorted.size() / count].id);
  Letters all(1);
  all.bytes[0] = ranks.allgather(own.bytes[0]);
  all.sizes[0] = ranks.allgather(own.sizes[0]);
  std::vector<std::string> samples;
  all.visit(0, [&](std::size_t, std::string_view id) { samples.emplace_back(id); });
  std::ranges::sort(samples);
  std::vector<std::string> borders;
  for (std::size_t r = 1; r < ranks.size() && !samples.empty(); ++r) {
    borders.push_back(samples[r * samples.size() / ranks.size()]);
  }
  return borders;
}

}  // namespace

std::vector<std::uint64_t> IdDirectory::sort_by_id() const {
  std::vector<NumberedId> own;
  own.reserve(numbers_.size());
  for (const auto& [id, number] : numbers_) own.push_back({id, number});
  sort_entries(own);
  const std::vector<std::string> borders = choose_borders(ranks_, own);
  Letters letters(ranks_.size());
  std::vector<std::vector<std::uint64_t>> numbers(ranks_.size());
  std::size_t to = 0;
  for (const NumberedId& entry : own) {
    while (to < borders.size() && entry.id >= borders[to]) ++to;
    letters.add(to, entry.id);
    numbers[to].push_back(entry.number);
  }
  own = {};
  letters = Letters::exchange(ranks_, std::move(letters));
  numbers = ranks_.exchange(std::move(numbers));
  for (std::size_t from = 0; from < ranks_.size(); ++from) {
    letters.visit(from, [&](std::size_t k, std::string_view id) {
      own.push_back({id, numbers[from][k]});
    });
  }
  sort_entries(own);
  std::vector<std::uint64_t> out;
  out.reserve(own.size());
  for (const NumberedId& entry : own) out.push_back(entry.number);
  return out;
}

}  // namespace cone::distributed
