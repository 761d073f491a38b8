#include "cone/data/id_table.hpp"

#include <algorithm>
#include <bit>

#include "cone/base/hash.hpp"

namespace cone {
namespace {

constexpr std::size_t kMinSlots = 16;

}  // namespace

IdTable::Insertion IdTable::insert(std::string_view id) {
  // At most half full, so that probes stay short.
  if ((size() + 1) * 2 > slots_.size()) grow(std::max(kMinSlots, slots_.size() * 2));
  const std::uint64_t hash = hash64(id);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].index_plus_one != 0) {
    const NodeIndex candidate = slots_[slot].index_plus_one - 1;
    if (slots_[slot].tag == tag && (*this)[candidate] == id) return {candidate, false};
    slot = (slot + 1) & mask;
  }
  const auto index = static_cast<NodeIndex>(size());
  bytes_ += id;
  offsets_.push_back(bytes_.size());
  slots_[slot] = {tag, index + 1};
  return {index, true};
}

void IdTable::reserve(std::size_t num_ids, std::size_t num_bytes) {
  bytes_.reserve(num_bytes);
  offsets_.reserve(num_ids + 1);
  const std::size_t num_slots = std::bit_ceil(std::max(kMinSlots, 2 * num_ids));
  if (num_slots > slots_.size()) grow(num_slots);
}

std::optional<NodeIndex> IdTable::find(std::string_view id) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint64_t hash = hash64(id);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot].index_plus_one != 0; slot = (slot + 1) & mask) {
    const NodeIndex candidate = slots_[slot].index_plus_one - 1;
    if (slots_[slot].tag == tag && (*this)[candidate] == id) return candidate;
  }
  return std::nullopt;
}

IdTable IdTable::numbered(std::size_t num_ids) {
  IdTable table;
  table.reserve(num_ids, 8 * num_ids);
  for (std::size_t i = 0; i < num_ids; ++i) table.insert(std::to_string(i));
  return table;
}

void IdTable::grow(std::size_t num_slots) {
  slots_.assign(num_slots, {});
  const std::size_t mask = num_slots - 1;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint64_t hash = hash64((*this)[static_cast<NodeIndex>(i)]);
    std::size_t slot = hash & mask;
    while (slots_[slot].index_plus_one != 0) slot = (slot + 1) & mask;
    slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), static_cast<NodeIndex>(i) + 1};
  }
}

}  // namespace cone
