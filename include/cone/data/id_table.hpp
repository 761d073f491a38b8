#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cone/graph/graph.hpp"

namespace cone {

/// The ids of the nodes, any strings, in one block of memory, with a hash index from id to node.
class IdTable {
 public:
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
  std::string_view operator[](NodeIndex i) const {
    return std::string_view(bytes_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  std::size_t size() const { return offsets_.size() - 1; }

  /// "0", "1", ..., for data that come without ids.
  static IdTable numbered(std::size_t num_ids);

 private:
  void grow(std::size_t num_slots);

  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  /// Open addressing, power-of-two size; a slot holds 32 bits of the hash and index + 1.
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t index_plus_one = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace cone
