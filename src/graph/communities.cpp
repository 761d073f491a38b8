#include "graph/communities.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "cone/error.hpp"

#include "base/hash.hpp"

// Nodes move in turns. The nodes of a turn choose their groups from the state before it and then
// move at once: on any number of threads, in any order of the nodes, the result is the same. Every
// decision depends on counts of edges, which are integers, and on keys, never on indices. Ranks
// that each have a part of the nodes could do the same: after a turn they would exchange the groups
// of ghosts and sum the changes of strengths.

namespace cone {
namespace {

constexpr std::size_t kGrain = 512;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A random sixteenth of the nodes moves in a turn. Neighbours that move at once may swap groups,
/// or crowd into one; there are few of them, and others in the next round.
constexpr std::uint32_t kTurns = 16;
constexpr int kMostRounds = 20;
constexpr double kLeastShareMoved = 1e-2;  // of the nodes, to justify another round
/// In one round, two nodes of the same turn cannot merge with each other.
constexpr int kRefiningRounds = 2;
constexpr int kMostPasses = 10;
constexpr double kLeastGain = 1e-3;  // of modularity, to justify another pass

/// A network whose nodes are groups of nodes of the network below.
struct Level {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> neighbours;
  std::vector<std::int64_t> weights;   ///< edges to the neighbours; empty: one each
  std::vector<std::int64_t> strength;  ///< edge ends, those of edges inside the node included
  std::vector<std::uint64_t> keys;
  std::int64_t total = 0;  ///< of the strengths

  std::size_t size() const { return strength.size(); }
  std::int64_t weight(std::uint64_t k) const { return weights.empty() ? 1 : weights[k]; }
};

/// Numbers of edges from a node to groups: a hash table that is reused from node to node.
class EdgeCounts {
 public:
  void clear(std::size_t most_groups) {
    for (const std::size_t k : used_) slots_[k] = {};
    used_.clear();
    const std::size_t size = std::bit_ceil(2 * most_groups + 2);
    if (slots_.size() < size) slots_.resize(size);
    mask_ = size - 1;
    shift_ = 64 - static_cast<int>(std::bit_width(mask_));
  }
  void add(std::uint32_t group, std::int64_t count) {
    const std::size_t k = find(group);
    if (slots_[k].count == 0) used_.push_back(k);
    slots_[k].group = group;
    slots_[k].count += count;
  }
  std::int64_t of(std::uint32_t group) const { return slots_[find(group)].count; }
  template <class Visit>
  void visit(const Visit& visit) const {
    for (const std::size_t k : used_) visit(slots_[k].group, slots_[k].count);
  }

 private:
  struct Slot {
    std::int64_t count = 0;  ///< 0: free
    std::uint32_t group = 0;
  };
  std::size_t find(std::uint32_t group) const {
    std::size_t k = (group * std::uint64_t{0x9E3779B97F4A7C15}) >> shift_;
    while (slots_[k].count != 0 && slots_[k].group != group) k = (k + 1) & mask_;
    return k;
  }

  std::vector<Slot> slots_;
  std::vector<std::size_t> used_;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

using Turns = std::array<std::vector<std::uint32_t>, kTurns>;

/// The nodes with a mark, each in a random turn. Another salt gives other turns.
Turns draw_turns(const Context& context, const Level& level, std::uint64_t salt,
                 const std::vector<std::uint8_t>& is_marked) {
  constexpr std::size_t kPiece = 1U << 14U;
  const auto pieces =
      context.map_ranges<Turns>(level.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        Turns out;
        for (std::size_t i = begin; i < end; ++i) {
          if (is_marked[i] == 0) continue;
          const std::array<std::uint64_t, 2> item = {level.keys[i], salt};
          const std::uint64_t turn =
              hash64({reinterpret_cast<const char*>(item.data()), sizeof item}) % kTurns;
          out[turn].push_back(static_cast<std::uint32_t>(i));
        }
        return out;
      });
  Turns out;
  for (std::uint32_t t = 0; t < kTurns; ++t) {
    for (const Turns& piece : pieces) {
      out[t].insert(out[t].end(), piece[t].begin(), piece[t].end());
    }
  }
  return out;
}

/// A search for communities of one network; every random choice has its own salt.
class Search {
 public:
  Search(const Context& context, double resolution, std::uint64_t first_salt)
      : context_(context), resolution_(resolution), salt_(first_salt) {}

  struct Result {
    std::vector<std::uint32_t> of;
    double modularity = -std::numeric_limits<double>::infinity();
  };

  /// One pass over all levels from the groups of nodes, named by one of their members.
  Result run(const Level& nodes, std::vector<std::uint32_t> group);

 private:
  void move_nodes(const Level& level, std::vector<std::uint32_t>& group);
  std::vector<std::uint32_t> refine(const Level& level, const std::vector<std::uint32_t>& group);
  std::uint32_t choose(const Level& level, std::uint32_t node, const EdgeCounts& towards,
                       std::span<const std::int64_t> strength, std::uint32_t own) const;
  double measure_modularity(const Level& level) const;

  const Context& context_;
  double resolution_;
  std::uint64_t salt_;
};

/// The group that the node gains most from joining; its own unless another one is better. Ties go
/// to the smallest key.
std::uint32_t Search::choose(const Level& level, std::uint32_t node, const EdgeCounts& towards,
                             std::span<const std::int64_t> strength, std::uint32_t own) const {
  const std::int64_t node_strength = level.strength[node];
  const double expected =
      resolution_ * static_cast<double>(node_strength) / static_cast<double>(level.total);
  const auto gain = [&](std::int64_t edges, std::int64_t others) {
    return static_cast<double>(edges) - expected * static_cast<double>(others);
  };
  std::uint32_t best = own;
  double best_gain = gain(towards.of(own), strength[own] - node_strength);
  towards.visit([&](std::uint32_t g, std::int64_t edges) {
    if (g == own) return;
    const double found = gain(edges, strength[g]);
    if (found > best_gain ||
        (found == best_gain && best != own && level.keys[g] < level.keys[best])) {
      best = g;
      best_gain = found;
    }
  });
  return best;
}

/// Moves nodes between groups until hardly any moves.
void Search::move_nodes(const Level& level, std::vector<std::uint32_t>& group) {
  std::vector<std::int64_t> strength(level.size(), 0);
  for (std::size_t i = 0; i < level.size(); ++i) strength[group[i]] += level.strength[i];
  // Nodes are looked at again only after a neighbour has moved.
  std::vector<std::uint8_t> is_waiting(level.size(), 1);
  std::vector<std::uint32_t>
      other;  // the group that a node of the turn chose, then the one it left
  for (int round = 0; round < kMostRounds; ++round) {
    std::size_t moved = 0;
    for (const std::vector<std::uint32_t>& nodes :
         draw_turns(context_, level, salt_++, is_waiting)) {
      other.resize(nodes.size());
      context_.for_each_range(nodes.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        EdgeCounts towards;
        for (std::size_t k = begin; k < end; ++k) {
          const std::uint32_t i = nodes[k];
          is_waiting[i] = 0;
          towards.clear(level.offsets[i + 1] - level.offsets[i]);
          for (std::uint64_t e = level.offsets[i]; e < level.offsets[i + 1]; ++e) {
            towards.add(group[level.neighbours[e]], level.weight(e));
          }
          other[k] = choose(level, i, towards, strength, group[i]);
        }
      });
      const auto counts = context_.map_ranges<std::size_t>(
          nodes.size(), kGrain, [&](std::size_t begin, std::size_t end) {
            std::size_t count = 0;
            for (std::size_t k = begin; k < end; ++k) {
              const std::uint32_t i = nodes[k];
              if (other[k] == group[i]) continue;
              std::swap(other[k], group[i]);
              std::atomic_ref(strength[other[k]])
                  .fetch_sub(level.strength[i], std::memory_order_relaxed);
              std::atomic_ref(strength[group[i]])
                  .fetch_add(level.strength[i], std::memory_order_relaxed);
              ++count;
            }
            return count;
          });
      moved += std::accumulate(counts.begin(), counts.end(), std::size_t{0});
      context_.for_each_range(nodes.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          const std::uint32_t i = nodes[k];
          if (other[k] == group[i]) continue;
          for (std::uint64_t e = level.offsets[i]; e < level.offsets[i + 1]; ++e) {
            const std::uint32_t j = level.neighbours[e];
            if (group[j] == group[i]) continue;
            std::atomic_ref(is_waiting[j]).store(1, std::memory_order_relaxed);
          }
        }
      });
    }
    if (static_cast<double>(moved) <= kLeastShareMoved * static_cast<double>(level.size())) break;
  }
}

/// Splits groups into connected parts: every node begins alone and may join a part of its group
/// once. Nodes that others joined stay, so parts only grow, along edges.
std::vector<std::uint32_t> Search::refine(const Level& level,
                                          const std::vector<std::uint32_t>& group) {
  enum : std::uint8_t { kMerged, kAlone, kChoosing };
  std::vector<std::uint32_t> part(level.size());
  std::iota(part.begin(), part.end(), 0U);
  std::vector<std::int64_t> strength = level.strength;
  std::vector<std::uint8_t> state(level.size(), kAlone);
  std::vector<std::uint32_t> chosen;
  for (int round = 0; round < kRefiningRounds; ++round) {
    for (std::vector<std::uint32_t>& nodes : draw_turns(context_, level, salt_++, state)) {
      std::erase_if(nodes, [&](std::uint32_t i) { return state[i] == kMerged; });
      for (const std::uint32_t i : nodes) state[i] = kChoosing;
      chosen.resize(nodes.size());
      context_.for_each_range(nodes.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        EdgeCounts towards;
        for (std::size_t k = begin; k < end; ++k) {
          const std::uint32_t i = nodes[k];
          towards.clear(level.offsets[i + 1] - level.offsets[i]);
          for (std::uint64_t e = level.offsets[i]; e < level.offsets[i + 1]; ++e) {
            const std::uint32_t j = level.neighbours[e];
            // A node that is choosing may be about to leave the part that it is.
            if (group[j] != group[i] || state[j] == kChoosing) continue;
            towards.add(part[j], level.weight(e));
          }
          chosen[k] = choose(level, i, towards, strength, i);
        }
      });
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const std::uint32_t i = nodes[k];
        state[i] = chosen[k] == i ? kAlone : kMerged;
        if (chosen[k] == i) continue;
        state[chosen[k]] = kMerged;
        part[i] = chosen[k];
        strength[i] = 0;
        strength[chosen[k]] += level.strength[i];
      }
    }
  }
  return part;
}

/// Numbers from 0 in the order of first appearance. Returns the old labels, which are below
/// `bound`.
std::vector<std::uint32_t> number_groups(std::vector<std::uint32_t>& group, std::size_t bound) {
  std::vector<std::uint32_t> number(bound, kNone);
  std::vector<std::uint32_t> labels;
  for (std::uint32_t& g : group) {
    if (number[g] == kNone) {
      number[g] = static_cast<std::uint32_t>(labels.size());
      labels.push_back(g);
    }
    g = number[g];
  }
  return labels;
}

/// Names every group by its member with the smallest key. Names so far are below `bound`.
void name_groups(std::span<const std::uint64_t> keys, std::size_t bound,
                 std::vector<std::uint32_t>& group) {
  std::vector<std::uint32_t> smallest(bound, kNone);
  for (std::uint32_t i = 0; i < group.size(); ++i) {
    std::uint32_t& member = smallest[group[i]];
    if (member == kNone || keys[i] < keys[member]) member = i;
  }
  for (std::uint32_t& g : group) g = smallest[g];
}

/// The network of `count` groups, without their keys.
Level merge_groups(const Context& context, const Level& level, std::span<const std::uint32_t> group,
                   std::size_t count) {
  std::vector<std::uint64_t> first(count + 1, 0);  // of the members of a group
  for (const std::uint32_t g : group) ++first[g + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> members(level.size());
  std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t i = 0; i < level.size(); ++i) members[next[group[i]]++] = i;

  struct Piece {
    std::vector<std::uint32_t> neighbours;
    std::vector<std::int64_t> weights;
  };
  Level out;
  out.total = level.total;
  out.strength.assign(count, 0);
  out.offsets.assign(count + 1, 0);
  constexpr std::size_t kGroups = 64;
  std::vector<Piece> pieces =
      context.map_ranges<Piece>(count, kGroups, [&](std::size_t begin, std::size_t end) {
        Piece piece;
        EdgeCounts towards;
        for (std::size_t g = begin; g < end; ++g) {
          std::uint64_t ends = 0;
          for (std::uint64_t k = first[g]; k < first[g + 1]; ++k) {
            out.strength[g] += level.strength[members[k]];
            ends += level.offsets[members[k] + 1] - level.offsets[members[k]];
          }
          towards.clear(std::min<std::uint64_t>(ends, count));
          for (std::uint64_t k = first[g]; k < first[g + 1]; ++k) {
            const std::uint32_t i = members[k];
            for (std::uint64_t e = level.offsets[i]; e < level.offsets[i + 1]; ++e) {
              const std::uint32_t to = group[level.neighbours[e]];
              if (to != g) towards.add(to, level.weight(e));
            }
          }
          towards.visit([&](std::uint32_t to, std::int64_t edges) {
            piece.neighbours.push_back(to);
            piece.weights.push_back(edges);
            ++out.offsets[g + 1];
          });
        }
        return piece;
      });
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  out.neighbours.reserve(out.offsets.back());
  out.weights.reserve(out.offsets.back());
  for (Piece& piece : pieces) {
    out.neighbours.insert(out.neighbours.end(), piece.neighbours.begin(), piece.neighbours.end());
    out.weights.insert(out.weights.end(), piece.weights.begin(), piece.weights.end());
    piece = {};
  }
  return out;
}

/// Of the nodes of the level as communities.
double Search::measure_modularity(const Level& level) const {
  unsigned __int128 squares = 0;
  for (const std::int64_t s : level.strength) {
    squares += static_cast<unsigned __int128>(s) * static_cast<unsigned __int128>(s);
  }
  std::int64_t between = 0;
  for (std::uint64_t e = 0; e < level.neighbours.size(); ++e) between += level.weight(e);
  const auto total = static_cast<double>(level.total);
  return 1 - static_cast<double>(between) / total -
         resolution_ * (static_cast<double>(squares) / total / total);
}

Search::Result Search::run(const Level& nodes, std::vector<std::uint32_t> group) {
  Result out;
  out.of.resize(nodes.size());
  std::iota(out.of.begin(), out.of.end(), 0U);
  Level merged;
  const Level* level = &nodes;
  while (true) {
    move_nodes(*level, group);
    std::vector<std::uint32_t> part = refine(*level, group);
    const std::vector<std::uint32_t> labels = number_groups(part, level->size());
    if (labels.size() == level->size()) break;
    context_.for_each_range(out.of.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out.of[i] = part[out.of[i]];
    });
    Level next = merge_groups(context_, *level, part, labels.size());
    std::vector<std::uint32_t> next_group;
    next_group.reserve(labels.size());
    next.keys.reserve(labels.size());
    for (const std::uint32_t label : labels) {
      next.keys.push_back(level->keys[label]);
      next_group.push_back(group[label]);
    }
    name_groups(next.keys, level->size(), next_group);
    group = std::move(next_group);
    merged = std::move(next);
    level = &merged;
  }
  out.modularity = measure_modularity(*level);
  return out;
}

}  // namespace

std::vector<std::uint32_t> find_communities(const Context& context, const Graph& graph,
                                            std::span<const std::uint64_t> keys,
                                            const CommunityOptions& options) {
  const std::size_t n = graph.num_nodes();
  require(keys.size() == n, "communities: the keys are not one per node");
  require(options.resolution > 0, "communities: the resolution is not positive");
  require(options.starts > 0, "communities: no start");
  std::vector<std::uint32_t> alone(n);
  std::iota(alone.begin(), alone.end(), 0U);
  if (graph.num_edges() == 0) return alone;
  Level nodes;
  nodes.offsets.assign(graph.offsets().begin(), graph.offsets().end());
  nodes.neighbours.assign(graph.neighbours().begin(), graph.neighbours().end());
  nodes.keys.assign(keys.begin(), keys.end());
  nodes.total = static_cast<std::int64_t>(graph.neighbours().size());
  nodes.strength.reserve(n);
  for (NodeIndex i = 0; i < n; ++i) {
    nodes.strength.push_back(static_cast<std::int64_t>(graph.degree(i)));
  }
  Search::Result best;
  for (int start = 0; start < options.starts; ++start) {
    Search search(context, options.resolution, static_cast<std::uint64_t>(start) << 32U);
    Search::Result found = search.run(nodes, alone);
    for (int pass = 1; pass < kMostPasses; ++pass) {
      std::vector<std::uint32_t> group = found.of;
      name_groups(keys, n, group);
      Search::Result again = search.run(nodes, std::move(group));
      const double gain = again.modularity - found.modularity;
      if (gain > 0) found = std::move(again);
      if (gain < kLeastGain) break;
    }
    if (found.modularity > best.modularity) best = std::move(found);
  }
  number_groups(best.of, n);
  return best.of;
}

}  // namespace cone
