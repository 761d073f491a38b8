#include "linear/gather_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cone {
namespace {

SparseMatrix gather_sparse(const Communicator& comm, const SparseMatrix& own) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < own.rows(); ++i) sizes.push_back(own.row(i).size());
  std::vector<std::uint64_t> offsets = {0};
  for (const std::uint64_t size : comm.allgatherv(sizes)) offsets.push_back(offsets.back() + size);
  return {own.cols(), std::move(offsets), comm.allgatherv(own.columns()),
          comm.allgatherv(own.values())};
}

}  // namespace

FeatureMatrix gather_rows(const Communicator& comm, const FeatureMatrix& own) {
  SparseMatrix sparse = gather_sparse(comm, own.sparse());
  Matrix<double> dense(sparse.rows(), own.dense_columns().size());
  std::ranges::copy(comm.allgatherv(own.dense().values()), dense.data());
  return {{own.dense_columns().begin(), own.dense_columns().end()},
          std::move(dense),
          std::move(sparse)};
}

}  // namespace cone
