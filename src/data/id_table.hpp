#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"

namespace cone {

/// The ids of the nodes, any strings, in one block of memory, with a hash index from id to node.
/// Ids of up to eight bytes are compared inside the index, so finding one costs one cache miss.
/// Where the ids are "0", "1", ... in order they are their own index and finding one costs none.
/// 8 bytes an id, its length, and 32 to 64 bytes of index, none for counting ids.
class IdTable {
 public:
  static constexpr NodeIndex kAbsent = std::numeric_limits<NodeIndex>::max();

  IdTable() = default;

  /// Appends an id and returns its index, or, when it is there already, the index it has
  /// (`inserted` tells which).
  struct Insertion {
    NodeIndex index;
    bool inserted;
  };
  Insertion insert(std::string_view id);
  void reserve(std::size_t num_ids, std::size_t num_bytes);

  std::optional<NodeIndex> find(std::string_view id) const;
  /// Finds many at once, overlapping their cache misses; kAbsent for an id that is not there.
  /// Both spans have the same length.
  void find_all(std::span<const std::string_view> ids, std::span<NodeIndex> indices) const;
  std::string_view operator[](NodeIndex i) const {
    return std::string_view(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  std::size_t size() const { return offsets_.size() - 1; }
  /// Bytes of all arrays.
  std::size_t num_bytes() const;

  /// "0", "1", ..., for data that come without ids.
  static IdTable numbered(std::size_t num_ids);

 private:
  /// What the index keeps of an id. `check` holds its length (up to 255) in the low byte and bits
  /// of its hash in the others.
  struct Key {
    std::uint64_t prefix;  // the first eight bytes, zeros beyond the end
    std::uint32_t check;
    bool operator==(const Key&) const = default;
  };
  /// Open addressing, power-of-two size, at most half full.
  struct Slot {
    std::uint64_t prefix = 0;
    std::uint32_t check = 0;
    std::uint32_t index_plus_one = 0;
  };
  struct Hashed {
    Key key;
    std::uint64_t hash;
  };

  static Hashed hash_of(std::string_view id);
  /// The slot that holds the id, or the empty one where it belongs.
  std::size_t locate(std::string_view id, const Hashed& hashed) const;
  void grow(std::size_t num_slots);

  bool is_counting_ = true;  // id i is the decimal of i, for all i; then there are no slots
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<Slot> slots_;
};

}  // namespace cone
