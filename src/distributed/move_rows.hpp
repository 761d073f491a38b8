#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"

#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// Sends every row to the rank `owner[row]`. Rows must ascend by number over the ranks, as after
/// reading; afterwards they ascend on every rank. Collective.
void move_rows(const Communicator& comm, std::span<const std::uint32_t> owner, NodeRows& rows);

}  // namespace cone::distributed
