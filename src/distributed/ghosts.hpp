#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cone/matrix.hpp"

#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Where a node of another rank is.
struct RemotePlace {
  std::uint64_t rank;
  std::uint64_t place;  ///< there
};

/// Rows of other ranks that this rank's nodes are connected to, behind its own: brings them up to
/// date by PETSc's star forest.
class Ghosts {
 public:
  Ghosts(const Ranks& ranks, std::size_t num_owned, std::span<const RemotePlace> ghosts);

  std::size_t num_owned() const { return num_owned_; }
  std::size_t num_ghosts() const { return num_ghosts_; }
  std::size_t num_rows() const { return num_owned_ + num_ghosts_; }

  /// Sets the rows behind the own ones of a table of num_rows() rows from their owners.
  void update(Matrix<double>& table) const;

 private:
  struct Forest;
  const Ranks* ranks_;
  std::size_t num_owned_;
  std::size_t num_ghosts_;
  std::shared_ptr<Forest> forest_;
};

}  // namespace cone::distributed
