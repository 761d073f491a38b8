#pragma once

#include "cone/communicator.hpp"
#include "cone/error.hpp"

namespace cone::distributed {

/// Faults known to all ranks: every rank throws the same error.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Throws a CollectiveError with the faults of all ranks, if there are any. Collective.
void throw_if_any(const Communicator& comm, const FaultList& faults, ErrorCode code);

}  // namespace cone::distributed
