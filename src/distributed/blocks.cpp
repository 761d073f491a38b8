#include "distributed/blocks.hpp"

#include <algorithm>

namespace cone::distributed {

Blocks Blocks::make(const Communicator& comm, std::uint64_t num_own) {
  Blocks out;
  out.first.push_back(0);
  for (const std::uint64_t size : comm.allgather(num_own)) {
    out.first.push_back(out.first.back() + size);
  }
  return out;
}

std::size_t Blocks::owner_of(std::uint64_t number) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first, number) - first.begin()) - 1;
}

}  // namespace cone::distributed
