#pragma once

#include <span>

#include "distributed/share.hpp"

namespace cone::distributed {

/// Features of nodes of other ranks, in the order they were asked for.
struct FetchedRows {
  SparseMatrix words;
  Matrix<double> columns;
};

/// Called by all ranks, each with what it wants.
FetchedRows fetch_rows(const Ranks& ranks, const Share& share,
                       std::span<const RemotePosition> wanted);

}  // namespace cone::distributed
