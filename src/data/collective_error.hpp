#pragma once

#include <optional>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {

/// Faults known to all ranks: every rank throws the same error.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Throws a CollectiveError with the faults of all ranks, if there are any. Collective.
void throw_if_any(const Communicator& comm, const FaultList& faults, ErrorCode code);

/// The result of work() on the root, nothing on the others, which wait; faults of the root are
/// thrown by all ranks. In one process work() itself. Collective.
template <class Work>
auto run_on_root(const Communicator& comm, const Work& work) {
  if (!comm.has_others()) return std::optional(work());
  std::optional<decltype(work())> out;
  FaultList faults;
  double code = 0;
  try {
    if (comm.is_root()) out.emplace(work());
  } catch (const Error& error) {
    code = static_cast<double>(error.code());
    for (const Fault& fault : error.faults()) faults.add(fault.place.to_string(), fault);
  }
  comm.barrier();
  throw_if_any(comm, faults, static_cast<ErrorCode>(comm.allreduce_max(code)));
  return out;
}

}  // namespace cone
