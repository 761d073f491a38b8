#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cone/matrix.hpp"

#include "base/hash.hpp"
#include "distributed/id_directory.hpp"
#include "distributed/node_rows.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// A checksum over arrays that all ranks have parts of, one behind the other. Ranks add their parts
/// in turn and pass the state on, 576 bytes: nobody sees the parts of others. Called by all ranks.
class SpreadChecksum {
 public:
  explicit SpreadChecksum(const Ranks& ranks) : ranks_(ranks) {}

  /// What all ranks know.
  Checksum& whole() { return checksum_; }
  /// add(checksum) adds what this rank has.
  template <class Add>
  void add_parts(const Add& add) {
    std::vector<std::byte> state = checksum_.save();
    ranks_.take_turns(state, [&] {
      checksum_.resume(state);
      add(checksum_);
      std::ranges::copy(checksum_.save(), state.begin());
    });
    checksum_.resume(state);
  }
  std::string hex() const { return checksum_.hex(); }

 private:
  const Ranks& ranks_;
  Checksum checksum_;
};

/// The digits of Dataset::checksum. The ids go first, as the ranks forget them first; nodes must be
/// where they were read.
void add_ids(const WholeData& whole, const TextList& ids, SpreadChecksum& checksum);
void add_rows(const Ranks& ranks, const WholeData& whole, const NodeRows& rows,
              SpreadChecksum& checksum);

/// The digits of a policy, nodes × arms.
std::string policy_checksum(const Ranks& ranks, const WholeData& whole,
                            const Matrix<double>& policy);

}  // namespace cone::distributed
