#include <algorithm>
#include <utility>

#include "distributed/id_directory.hpp"

namespace cone::distributed {
namespace {

/// Ids per rank that the splitters of the sample sort are chosen from.
constexpr std::size_t kSampledIds = 256;

struct NumberedId {
  std::string_view id;
  std::uint64_t number;
};

void sort_entries(std::vector<NumberedId>& entries) {
  std::ranges::sort(entries, {}, &NumberedId::id);
}

/// The first id of every rank but rank 0: quantiles of the sampled ids.
std::vector<std::string> choose_splitters(const Ranks& ranks, std::span<const NumberedId> sorted) {
  TextMessages own(1);
  const std::size_t count = std::min(kSampledIds, sorted.size());
  for (std::size_t k = 0; k < count; ++k) own.add(0, sorted[k * sorted.size() / count].id);
  TextMessages all(1);
  all.bytes[0] = ranks.allgatherv(own.bytes[0]);
  all.sizes[0] = ranks.allgatherv(own.sizes[0]);
  std::vector<std::string> samples;
  all.visit(0, [&](std::size_t, std::string_view id) { samples.emplace_back(id); });
  std::ranges::sort(samples);
  std::vector<std::string> splitters;
  for (std::size_t r = 1; r < ranks.size() && !samples.empty(); ++r) {
    splitters.push_back(samples[r * samples.size() / ranks.size()]);
  }
  return splitters;
}

}  // namespace

std::vector<std::uint64_t> IdDirectory::sort_by_id() const {
  std::vector<NumberedId> own;
  own.reserve(numbers_.size());
  for (const auto& [id, number] : numbers_) own.push_back({id, number});
  sort_entries(own);
  const std::vector<std::string> splitters = choose_splitters(ranks_, own);
  TextMessages messages(ranks_.size());
  std::vector<std::vector<std::uint64_t>> numbers(ranks_.size());
  std::size_t to = 0;
  for (const NumberedId& entry : own) {
    while (to < splitters.size() && entry.id >= splitters[to]) ++to;
    messages.add(to, entry.id);
    numbers[to].push_back(entry.number);
  }
  own = {};
  messages = TextMessages::alltoallv(ranks_, std::move(messages));
  numbers = ranks_.alltoallv(std::move(numbers));
  for (std::size_t from = 0; from < ranks_.size(); ++from) {
    messages.visit(from, [&](std::size_t k, std::string_view id) {
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
