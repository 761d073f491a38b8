#include "distributed/own_data.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace cone::distributed {
namespace {

/// Measurements, then words; which columns are dense follows from all nodes, as on one machine.
FeatureMatrix join_features(const Ranks& ranks, const Share& share) {
  const Matrix<double>& columns = share.columns;
  std::vector<double> num_entries(columns.cols(), 0.0);
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t c = 0; c < columns.cols(); ++c) num_entries[c] += columns(p, c) != 0 ? 1 : 0;
  }
  ranks.allreduce(num_entries);
  const auto num_nodes = static_cast<double>(share.whole.num_nodes);
  std::vector<std::uint32_t> dense_columns;
  std::vector<bool> is_dense;
  for (std::size_t c = 0; c < columns.cols(); ++c) {
    is_dense.push_back(is_stored_densely(num_entries[c], num_nodes));
    if (is_dense[c]) dense_columns.push_back(static_cast<std::uint32_t>(c));
  }
  Matrix<double> dense(share.size(), dense_columns.size());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> entry_columns;
  std::vector<double> values;
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t d = 0; d < dense_columns.size(); ++d)
      dense(p, d) = columns(p, dense_columns[d]);
    for (std::size_t c = 0; c < columns.cols(); ++c) {
      if (is_dense[c] || columns(p, c) == 0) continue;
      entry_columns.push_back(static_cast<std::uint32_t>(c));
      values.push_back(columns(p, c));
    }
    const SparseMatrix::Row words = share.words.row(p);
    for (std::size_t k = 0; k < words.size(); ++k) {
      entry_columns.push_back(words.columns[k] + static_cast<std::uint32_t>(columns.cols()));
      values.push_back(words.values[k]);
    }
    offsets.push_back(entry_columns.size());
  }
  return {std::move(dense_columns), std::move(dense),
          SparseMatrix(columns.cols() + share.words.cols(), std::move(offsets),
                       std::move(entry_columns), std::move(values))};
}

}  // namespace

Dataset describe_own_nodes(const Ranks& ranks, const Share& share) {
  Dataset data;
  data.ids = IdTable::numbered(share.size());
  data.arms = share.whole.arms;
  data.outcome = share.outcome;
  for (std::size_t p = 0; p < share.size(); ++p) data.treatment.push_back(share.arm_of(p));
  data.features.matrix = join_features(ranks, share);
  data.features.num_dense = share.columns.cols();
  data.features.names = share.whole.column_names;
  data.features.names.insert(data.features.names.end(), share.whole.word_names.begin(),
                             share.whole.word_names.end());
  return data;
}

LoggedSample sample_own_nodes(const Ranks& ranks, const Share& share) {
  LoggedSample sample{.outcome = share.outcome, .arms = share.whole.arms, .totals = &ranks};
  sample.nodes.resize(share.size());
  std::iota(sample.nodes.begin(), sample.nodes.end(), NodeIndex{0});
  for (std::size_t p = 0; p < share.size(); ++p) sample.arm.push_back(share.arm_of(p));
  return sample;
}

}  // namespace cone::distributed
