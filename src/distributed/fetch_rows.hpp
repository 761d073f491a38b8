#pragma once

#include <span>

#include "distributed/local_data.hpp"

namespace cone::distributed {

/// Features of nodes that other ranks own, in the order of the request.
struct FetchedRows {
  SparseMatrix counts;
  Matrix<double> numeric;
};

/// Collective; every rank passes the nodes that it needs.
FetchedRows fetch_rows(const Ranks& ranks, const LocalData& local,
                       std::span<const RemotePosition> wanted);

}  // namespace cone::distributed
