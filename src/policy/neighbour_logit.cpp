#include "policy/neighbour_logit.hpp"

namespace cone {
namespace {

constexpr std::size_t kNodesPerPiece = 2048;

}  // namespace

void fill_neighbour_logit(const Context& context, const FeatureTable& features, const Graph& graph,
                          double scale, ArmLogits logits,
                          const std::function<NodeScore(const FeatureMatrix::Row&)>& score) {
  const std::size_t n = graph.num_nodes();
  std::vector<NodeScore> scores(n);
  context.for_each_range(n, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) scores[i] = score(features.matrix.row(i));
  });
  context.for_each_range(n, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto neighbours = graph.neighbours(static_cast<NodeIndex>(i));
      double total = 0;
      for (const NodeIndex j : neighbours) total += scores[j].as_neighbour;
      const double average =
          neighbours.empty() ? 0.0 : total / static_cast<double>(neighbours.size());
      logits.table(i, logits.arm) = scale * (scores[i].own + average);
    }
  });
}

Matrix<double> softmax_rows(const Context& context, Matrix<double> logits) {
  context.for_each_range(logits.rows(), kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) softmax_arms(logits.row(i));
  });
  return logits;
}

}  // namespace cone
