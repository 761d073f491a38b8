#include "distributed/local_dataset.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace cone::distributed {
namespace {

/// Numeric features, then count features; the nodes of all ranks decide which columns are dense, as
/// in one process.
FeatureMatrix join_features(const Communicator& comm, const LocalData& local) {
  const Matrix<double>& numeric = local.numeric;
  std::vector<double> num_entries(numeric.cols(), 0.0);
  for (std::size_t p = 0; p < local.size(); ++p) {
    for (std::size_t c = 0; c < numeric.cols(); ++c) num_entries[c] += numeric(p, c) != 0 ? 1 : 0;
  }
  comm.allreduce(num_entries);
  const auto num_nodes = static_cast<double>(local.global.num_nodes);
  std::vector<std::uint32_t> dense_columns;
  std::vector<bool> is_dense;
  for (std::size_t c = 0; c < numeric.cols(); ++c) {
    is_dense.push_back(is_stored_densely(num_entries[c], num_nodes));
    if (is_dense[c]) dense_columns.push_back(static_cast<std::uint32_t>(c));
  }
  Matrix<double> dense(local.size(), dense_columns.size());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> entry_columns;
  std::vector<double> values;
  for (std::size_t p = 0; p < local.size(); ++p) {
    for (std::size_t d = 0; d < dense_columns.size(); ++d)
      dense(p, d) = numeric(p, dense_columns[d]);
    for (std::size_t c = 0; c < numeric.cols(); ++c) {
      if (is_dense[c] || numeric(p, c) == 0) continue;
      entry_columns.push_back(static_cast<std::uint32_t>(c));
      values.push_back(numeric(p, c));
    }
    const SparseMatrix::Row counts = local.counts.row(p);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      entry_columns.push_back(counts.columns[k] + static_cast<std::uint32_t>(numeric.cols()));
      values.push_back(counts.values[k]);
    }
    offsets.push_back(entry_columns.size());
  }
  return {std::move(dense_columns), std::move(dense),
          SparseMatrix(numeric.cols() + local.counts.cols(), std::move(offsets),
                       std::move(entry_columns), std::move(values))};
}

}  // namespace

Dataset make_local_dataset(const Communicator& comm, const LocalData& local) {
  Dataset data;
  data.ids = IdTable::numbered(local.size());
  data.arms = local.global.arms;
  data.distributed = local.rows;
  data.outcome = local.outcome;
  for (std::size_t p = 0; p < local.size(); ++p) data.treatment.push_back(local.arm_of(p));
  data.features.matrix = join_features(comm, local);
  data.features.num_dense = local.numeric.cols();
  data.features.names = local.global.numeric_names;
  data.features.names.insert(data.features.names.end(), local.global.count_names.begin(),
                             local.global.count_names.end());
  return data;
}

LoggedSample make_local_sample(const Communicator& comm, const LocalData& local) {
  LoggedSample sample{.outcome = local.outcome, .arms = local.global.arms, .comm = &comm};
  sample.nodes.resize(local.size());
  std::iota(sample.nodes.begin(), sample.nodes.end(), NodeIndex{0});
  for (std::size_t p = 0; p < local.size(); ++p) sample.arm.push_back(local.arm_of(p));
  return sample;
}

}  // namespace cone::distributed
