#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "cone/dataset.hpp"
#include "cone/error.hpp"

#include "base/hash.hpp"

namespace cone {
namespace {

constexpr std::size_t kMinSlots = 16;
constexpr std::size_t kPrefixBytes = 8;
/// Look-ups in flight at a time: enough to hide the latency of memory, few enough for registers
/// and the first-level cache.
constexpr std::size_t kBatch = 32;

template <class T>
std::uint64_t load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The first eight bytes, zero beyond the end, by overlapping loads instead of a byte loop.
std::uint64_t prefix_of(std::string_view id) {
  const char* p = id.data();
  const std::size_t size = id.size();
  if (size >= 8) return load<std::uint64_t>(p);
  if (size >= 4) {
    return load<std::uint32_t>(p) | load<std::uint32_t>(p + size - 4) << (8 * (size - 4));
  }
  if (size == 0) return 0;
  return load<std::uint8_t>(p) | load<std::uint8_t>(p + size / 2) << (8 * (size / 2)) |
         load<std::uint8_t>(p + size - 1) << (8 * (size - 1));
}

/// Folds the 128-bit product: every bit of the input reaches every bit of the hash.
std::uint64_t mix(std::uint64_t prefix, std::uint64_t size) {
  const unsigned __int128 product = static_cast<unsigned __int128>(prefix ^ 0x9E3779B97F4A7C15U) *
                                    (0xD6E8FEB86659FD93U + 2 * size);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// The value of "0", "1", ..., without leading zeros; at least `bound` for any other text.
std::uint64_t counting_value(std::string_view id, std::uint64_t bound) {
  constexpr std::size_t kMaxDigits = 10;
  if (id.empty() || id.size() > kMaxDigits || (id[0] == '0' && id.size() > 1)) return bound;
  std::uint64_t value = 0;
  for (const char c : id) {
    const auto digit = static_cast<unsigned char>(c - '0');
    if (digit > 9) return bound;
    value = 10 * value + digit;
  }
  return value;
}

}  // namespace

IdTable::Hashed IdTable::hash_of(std::string_view id) {
  const std::uint64_t prefix = prefix_of(id);
  const std::uint64_t hash = id.size() <= kPrefixBytes ? mix(prefix, id.size()) : hash64(id);
  const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(id.size(), 255));
  return {{prefix, static_cast<std::uint32_t>(hash >> 40) << 8 | length}, hash};
}

std::size_t IdTable::locate(std::string_view id, const Hashed& hashed) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hashed.hash & mask;
  while (slots_[slot].index_plus_one != 0) {
    const Slot& taken = slots_[slot];
    if (Key{taken.prefix, taken.check} == hashed.key &&
        (id.size() <= kPrefixBytes || (*this)[taken.index_plus_one - 1] == id)) {
      return slot;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

IdTable::Insertion IdTable::insert(std::string_view id) {
  require(size() < kAbsent - 1, "ids: too many for 32-bit indices");
  if (is_counting_) {
    const std::uint64_t value = counting_value(id, kAbsent);
    if (value < size()) return {static_cast<NodeIndex>(value), false};
    if (value == size()) {
      bytes_ += id;
      offsets_.push_back(bytes_.size());
      return {static_cast<NodeIndex>(value), true};
    }
    is_counting_ = false;
    grow(std::bit_ceil(std::max(kMinSlots, 2 * offsets_.capacity())));
  }
  // At most half full, so that probes stay short.
  if ((size() + 1) * 2 > slots_.size()) grow(std::max(kMinSlots, slots_.size() * 2));
  const Hashed hashed = hash_of(id);
  Slot& slot = slots_[locate(id, hashed)];
  if (slot.index_plus_one != 0) return {slot.index_plus_one - 1, false};
  const auto index = static_cast<NodeIndex>(size());
  bytes_ += id;
  offsets_.push_back(bytes_.size());
  slot = {hashed.key.prefix, hashed.key.check, index + 1};
  return {index, true};
}

void IdTable::reserve(std::size_t num_ids, std::size_t num_bytes) {
  bytes_.reserve(num_bytes);
  offsets_.reserve(num_ids + 1);
  const std::size_t num_slots = std::bit_ceil(std::max(kMinSlots, 2 * num_ids));
  if (!is_counting_ && num_slots > slots_.size()) grow(num_slots);
}

std::optional<NodeIndex> IdTable::find(std::string_view id) const {
  if (is_counting_) {
    const std::uint64_t value = counting_value(id, size());
    return value < size() ? std::optional(static_cast<NodeIndex>(value)) : std::nullopt;
  }
  const Slot& slot = slots_[locate(id, hash_of(id))];
  if (slot.index_plus_one == 0) return std::nullopt;
  return slot.index_plus_one - 1;
}

void IdTable::find_all(std::span<const std::string_view> ids, std::span<NodeIndex> indices) const {
  if (is_counting_) {
    std::transform(ids.begin(), ids.end(), indices.begin(), [&](std::string_view id) {
      const std::uint64_t value = counting_value(id, size());
      return value < size() ? static_cast<NodeIndex>(value) : kAbsent;
    });
    return;
  }
  const std::size_t mask = slots_.size() - 1;
  std::array<Hashed, kBatch> hashed;
  for (std::size_t begin = 0; begin < ids.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, ids.size() - begin);
    for (std::size_t k = 0; k < count; ++k) {
      hashed[k] = hash_of(ids[begin + k]);
      __builtin_prefetch(&slots_[hashed[k].hash & mask]);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t found = slots_[locate(ids[begin + k], hashed[k])].index_plus_one;
      indices[begin + k] = found == 0 ? kAbsent : found - 1;
    }
  }
}

std::size_t IdTable::num_bytes() const {
  return bytes_.size() + offsets_.size() * sizeof offsets_[0] + slots_.size() * sizeof slots_[0];
}

IdTable IdTable::numbered(std::size_t num_ids) {
  IdTable table;
  table.reserve(num_ids, 8 * num_ids);
  for (std::size_t i = 0; i < num_ids; ++i) table.insert(std::to_string(i));
  return table;
}

void IdTable::grow(std::size_t num_slots) {
  slots_.assign(num_slots, {});
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view id = (*this)[static_cast<NodeIndex>(i)];
    const Hashed hashed = hash_of(id);
    slots_[locate(id, hashed)] = {hashed.key.prefix, hashed.key.check,
                                  static_cast<std::uint32_t>(i) + 1};
  }
}

}  // namespace cone
