#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cone/context.hpp"

namespace cone::distributed {

/// Messages of texts to or from every rank: bytes, concatenated, and the size of each text.
struct TextMessages {
  std::vector<std::vector<char>> bytes;
  std::vector<std::vector<std::uint32_t>> sizes;

  explicit TextMessages(std::size_t num_ranks) : bytes(num_ranks), sizes(num_ranks) {}
  void add(std::size_t to, std::string_view text) {
    bytes[to].insert(bytes[to].end(), text.begin(), text.end());
    sizes[to].push_back(static_cast<std::uint32_t>(text.size()));
  }
  /// visit(k, text) for the texts to or from one rank.
  template <class Visit>
  void visit(std::size_t rank, const Visit& visit) const {
    std::size_t at = 0;
    for (std::size_t k = 0; k < sizes[rank].size(); ++k) {
      visit(k, std::string_view(bytes[rank].data() + at, sizes[rank][k]));
      at += sizes[rank][k];
    }
  }
  /// Sends all messages; returns those received. Collective.
  static TextMessages alltoallv(const Communicator& comm, TextMessages&& sent);
};

/// Concatenated texts: millions of short ids without a string object each.
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

/// A distributed hash table from ids to node numbers (records of nodes.csv). The hash of an id
/// decides which rank stores it; other ranks look it up by messages.
class IdDirectory {
 public:
  static constexpr std::uint64_t kAbsent = std::numeric_limits<std::uint64_t>::max();

  /// An id that is on two lines.
  struct Repeat {
    std::string id;
    std::uint64_t first, second;  ///< numbers
  };

  /// `ids`: of this rank's nodes, which are numbered from `first` on.
  IdDirectory(const Communicator& comm, const TextList& ids, std::uint64_t first);

  /// The repeats among the ids that this rank stores, in no order.
  const std::vector<Repeat>& repeats() const { return repeats_; }

  /// The node numbers of ids, kAbsent for unknown ids. Collective.
  std::vector<std::uint64_t> find(const TextList& ids) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
  };

  const Communicator& comm_;
  std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> numbers_;
  std::vector<Repeat> repeats_;
};

}  // namespace cone::distributed
