#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "cone/error.hpp"
#include "cone/graph.hpp"

namespace cone {
namespace {

constexpr std::size_t kLinesPerPiece = std::size_t{1} << 18;
/// Enough that the rows of a bucket stay in the second-level cache for graphs of many million
/// edges, few enough that a piece writes to all buckets at once without thrashing.
constexpr std::size_t kMaxBuckets = 512;

/// Both directions of every line, grouped by buckets of consecutive nodes: bucket b holds nodes
/// b << shift up to (b + 1) << shift. Scattering straight into rows would miss the cache at every
/// edge; this reads and writes in long runs, and then each bucket fits the cache.
struct Buckets {
  unsigned shift = 0;
  std::vector<std::uint64_t> starts;  // one per bucket, and the end
  std::unique_ptr<Edge[]> half_edges;
  std::uint64_t num_self_loops = 0;

  std::size_t size() const { return starts.size() - 1; }
};

Buckets scatter_to_buckets(const Context& context, std::size_t num_nodes,
                           std::span<const Edge> edges) {
  Buckets buckets;
  while ((num_nodes >> buckets.shift) >= kMaxBuckets) ++buckets.shift;
  const unsigned shift = buckets.shift;
  const std::size_t num_buckets = (num_nodes >> shift) + 1;

  struct PieceCounts {
    std::vector<std::uint64_t> in_bucket;
    std::uint64_t num_self_loops = 0;
  };
  std::vector<PieceCounts> pieces = context.map_ranges<PieceCounts>(
      edges.size(), kLinesPerPiece, [&](std::size_t begin, std::size_t end) {
        PieceCounts counts{std::vector<std::uint64_t>(num_buckets, 0)};
        for (const Edge& edge : edges.subspan(begin, end - begin)) {
          require(edge.source < num_nodes && edge.target < num_nodes,
                  "graph: edge to an unknown node");
          if (edge.source == edge.target) {
            ++counts.num_self_loops;
            continue;
          }
          ++counts.in_bucket[edge.source >> shift];
          ++counts.in_bucket[edge.target >> shift];
        }
        return counts;
      });

  // Counts become the positions where each piece starts writing within each bucket.
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < num_buckets; ++b) {
    buckets.starts.push_back(total);
    for (PieceCounts& piece : pieces) total += std::exchange(piece.in_bucket[b], total);
  }
  buckets.starts.push_back(total);
  for (const PieceCounts& piece : pieces) buckets.num_self_loops += piece.num_self_loops;

  buckets.half_edges = std::make_unique_for_overwrite<Edge[]>(total);
  context.for_each_range(edges.size(), kLinesPerPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t>& next = pieces[begin / kLinesPerPiece].in_bucket;
    for (const Edge& edge : edges.subspan(begin, end - begin)) {
      if (edge.source == edge.target) continue;
      buckets.half_edges[next[edge.source >> shift]++] = edge;
      buckets.half_edges[next[edge.target >> shift]++] = {edge.target, edge.source};
    }
  });
  return buckets;
}

/// Sorts by target: a radix sort from the lowest digit up, which beats a comparison sort of each
/// row several times over because it has no branches to mispredict.
void sort_by_target(std::span<Edge> half_edges, std::size_t num_nodes) {
  constexpr unsigned kDigitBits = 11;
  constexpr NodeIndex kDigitMask = (1U << kDigitBits) - 1;
  std::vector<Edge> scratch(half_edges.size());
  std::span<Edge> from = half_edges;
  std::span<Edge> to = scratch;
  for (unsigned shift = 0; shift < 32 && (num_nodes - 1) >> shift != 0; shift += kDigitBits) {
    std::array<std::uint64_t, kDigitMask + 1> next{};
    for (const Edge& edge : from) ++next[edge.target >> shift & kDigitMask];
    std::uint64_t position = 0;
    for (std::uint64_t& count : next) position += std::exchange(count, position);
    for (const Edge& edge : from) to[next[edge.target >> shift & kDigitMask]++] = edge;
    std::swap(from, to);
  }
  if (from.data() != half_edges.data()) std::copy(from.begin(), from.end(), half_edges.begin());
}

/// Rows of one bucket: sorts by neighbour, then by row (a counting sort, which keeps the order of
/// neighbours), and drops repeats. Fills row_begin and row_end of the bucket's nodes; the rows are
/// in the bucket's range of `neighbours`, with gaps where repeats were.
void sort_bucket(const Buckets& buckets, std::size_t bucket, std::size_t num_nodes,
                 std::vector<std::uint64_t>& row_begin, std::vector<std::uint64_t>& row_end,
                 std::vector<NodeIndex>& neighbours) {
  const std::size_t first_node = bucket << buckets.shift;
  const std::size_t last_node = std::min(num_nodes, (bucket + 1) << buckets.shift);
  const std::span<Edge> half_edges(buckets.half_edges.get() + buckets.starts[bucket],
                                   buckets.half_edges.get() + buckets.starts[bucket + 1]);
  sort_by_target(half_edges, num_nodes);
  for (const Edge& edge : half_edges) ++row_end[edge.source];
  std::uint64_t position = buckets.starts[bucket];
  for (std::size_t i = first_node; i < last_node; ++i) {
    row_begin[i] = position;
    position += std::exchange(row_end[i], position);
  }
  for (const Edge& edge : half_edges) {
    std::uint64_t& end = row_end[edge.source];
    const bool is_repeat = end > row_begin[edge.source] && neighbours[end - 1] == edge.target;
    if (!is_repeat) neighbours[end++] = edge.target;
  }
}

/// Closes the gaps between the rows and turns row_begin into offsets.
void close_gaps(std::size_t num_nodes, std::vector<std::uint64_t>& row_begin,
                const std::vector<std::uint64_t>& row_end, std::vector<NodeIndex>& neighbours) {
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const std::uint64_t begin = std::exchange(row_begin[i], kept);
    if (begin != kept) {
      std::copy(neighbours.data() + begin, neighbours.data() + row_end[i],
                neighbours.data() + kept);
    }
    kept += row_end[i] - begin;
  }
  row_begin[num_nodes] = kept;
  neighbours.resize(kept);
}

}  // namespace

Graph build_graph(const Context& context, std::size_t num_nodes, std::span<const Edge> edges,
                  EdgeListReport* report) {
  Buckets buckets = scatter_to_buckets(context, num_nodes, edges);
  std::vector<std::uint64_t> row_begin(num_nodes + 1, 0);
  std::vector<std::uint64_t> row_end(num_nodes, 0);
  std::vector<NodeIndex> neighbours(buckets.starts.back());
  context.for_each_range(buckets.size(), 1, [&](std::size_t bucket, std::size_t) {
    sort_bucket(buckets, bucket, num_nodes, row_begin, row_end, neighbours);
  });
  buckets.half_edges.reset();
  close_gaps(num_nodes, row_begin, row_end, neighbours);
  if (report != nullptr) {
    const std::uint64_t num_edges = neighbours.size() / 2;
    *report = {.num_lines = edges.size(),
               .num_edges = num_edges,
               .num_self_loops = buckets.num_self_loops,
               .num_merged = edges.size() - buckets.num_self_loops - num_edges};
  }
  // Valid by construction (a test passes results through the checking constructor), so the arrays
  // are set without another pass over every edge.
  Graph graph;
  graph.offsets_ = std::move(row_begin);
  graph.neighbours_ = std::move(neighbours);
  return graph;
}

}  // namespace cone
