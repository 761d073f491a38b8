#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/matrix.hpp"

#include "base/hash.hpp"
#include "distributed/id_directory.hpp"
#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// A checksum over arrays that are distributed over the ranks. The ranks add their parts in rank
/// order and pass on the state of the checksum, 576 bytes; no data is sent. Collective.
class DistributedChecksum {
 public:
  explicit DistributedChecksum(const Communicator& comm) : comm_(comm) {}

  /// For values that all ranks have.
  Checksum& global() { return checksum_; }
  /// add(checksum) adds this rank's part.
  template <class Add>
  void add_local(const Add& add) {
    std::vector<std::byte> state = checksum_.save();
    comm_.run_in_rank_order(state, [&] {
      checksum_.resume(state);
      add(checksum_);
      std::ranges::copy(checksum_.save(), state.begin());
    });
    checksum_.resume(state);
  }
  std::string hex() const { return checksum_.hex(); }

 private:
  const Communicator& comm_;
  Checksum checksum_;
};

/// Together the digits of Dataset::checksum: the ids first, which are dropped early, then all else.
/// Nodes must be on the ranks that read them.
void add_ids(const GlobalData& global, const TextList& ids, DistributedChecksum& checksum);
void add_rows(const Communicator& comm, const GlobalData& global, const NodeRows& rows,
              DistributedChecksum& checksum);

/// The checksum of a policy, nodes × arms.
std::string policy_checksum(const Communicator& comm, const GlobalData& global,
                            const Matrix<double>& policy);

}  // namespace cone::distributed
