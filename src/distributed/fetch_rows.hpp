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
FetchedRows fetch_rows(const Communicator& comm, const LocalData& local,
                       std::span<const RemoteRow> wanted);

}  // namespace cone::distributed
