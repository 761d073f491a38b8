#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Texts for every rank, one behind the other, and how long each is.
struct Letters {
  std::vector<std::vector<char>> bytes;
  std::vector<std::vector<std::uint32_t>> sizes;

  explicit Letters(std::size_t num_ranks) : bytes(num_ranks), sizes(num_ranks) {}
  void add(std::size_t to, std::string_view text) {
    bytes[to].insert(bytes[to].end(), text.begin(), text.end());
    sizes[to].push_back(static_cast<std::uint32_t>(text.size()));
  }
  /// visit(k, text) for the texts from or for one rank.
  template <class Visit>
  void visit(std::size_t rank, const Visit& visit) const {
    std::size_t at = 0;
    for (std::size_t k = 0; k < sizes[rank].size(); ++k) {
      visit(k, std::string_view(bytes[rank].data() + at, sizes[rank][k]));
      at += sizes[rank][k];
    }
  }
  /// What the others have for this rank. Called by all ranks.
  static Letters exchange(const Ranks& ranks, Letters&& sent);
};

/// Texts that stand one behind the other: millions of short ids without a string object each.
class TextList {
 public:
  void add(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    ends_.push_back(bytes_.size());
  }
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t k) const {
    const std::uint64_t begin = k == 0 ? 0 : ends_[k - 1];
    return {bytes_.data() + begin, ends_[k] - begin};
  }

 private:
  std::vector<char> bytes_;
  std::vector<std::uint64_t> ends_;
};

/// Which node an id is. Every rank keeps the ids whose hash is its own; the others ask it. A node's
/// number is its record in nodes.csv.
class IdDirectory {
 public:
  static constexpr std::uint64_t kAbsent = std::numeric_limits<std::uint64_t>::max();

  /// An id that stands on two lines.
  struct Repeat {
    std::string id;
    std::uint64_t first, second;  ///< numbers
  };

  /// Takes the ids of this rank's nodes, which are numbered from `first` on.
  IdDirectory(const Ranks& ranks, const TextList& ids, std::uint64_t first);

  /// The repeats that this rank met, in no order.
  const std::vector<Repeat>& repeats() const { return repeats_; }

  /// The numbers of ids, kAbsent for those that are no node's. Called by all ranks.
  std::vector<std::uint64_t> find(const TextList& ids) const;

  /// The numbers of all nodes in the order of their ids, byte by byte: this rank's part of them,
  /// the smallest ids on the first rank. Called by all ranks. O(own · log).
  std::vector<std::uint64_t> sort_by_id() const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
  };

  const Ranks& ranks_;
  std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> numbers_;
  std::vector<Repeat> repeats_;
};

}  // namespace cone::distributed
