#pragma once

#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Features of nodes that other ranks own, in the order of the request.
struct FetchedRows {
  SparseMatrix counts;
  Matrix<double> numeric;
};

/// `counts` and `numeric`: of this rank's own rows. Collective; every rank passes the rows that it
/// needs.
FetchedRows fetch_rows(const Communicator& comm, const SparseMatrix& counts,
                       const Matrix<double>& numeric, std::span<const RemoteRow> wanted);

}  // namespace cone
