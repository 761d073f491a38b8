#include "linear/gather_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cone {
namespace {

/// Integers below 2⁵³ are exact as doubles.
template <class T>
std::vector<double> as_doubles(std::span<const T> numbers) {
  return {numbers.begin(), numbers.end()};
}

SparseMatrix gather_sparse(const Communicator& comm, const SparseMatrix& own) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < own.rows(); ++i) {
    sizes.push_back(static_cast<double>(own.row(i).size()));
  }
  std::vector<std::uint64_t> offsets = {0};
  for (const double size : comm.allgather(sizes)) {
    offsets.push_back(offsets.back() + static_cast<std::uint64_t>(size));
  }
  std::vector<std::uint32_t> columns;
  for (const double column : comm.allgather(as_doubles(own.columns()))) {
    columns.push_back(static_cast<std::uint32_t>(column));
  }
  return {own.cols(), std::move(offsets), std::move(columns), comm.allgather(own.values())};
}

}  // namespace

FeatureMatrix gather_rows(const Communicator& comm, const FeatureMatrix& own) {
  SparseMatrix sparse = gather_sparse(comm, own.sparse());
  Matrix<double> dense(sparse.rows(), own.dense_columns().size());
  std::ranges::copy(comm.allgather(own.dense().values()), dense.data());
  return {{own.dense_columns().begin(), own.dense_columns().end()},
          std::move(dense),
          std::move(sparse)};
}

}  // namespace cone
