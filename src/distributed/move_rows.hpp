#pragma once

#include <cstdint>
#include <span>

#include "distributed/node_rows.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Sends every row to the rank `owner[row]`. Rows must ascend by number over the ranks, as after
/// reading; afterwards they ascend on every rank. Collective.
void move_rows(const Ranks& ranks, std::span<const std::uint32_t> owner, NodeRows& rows);

}  // namespace cone::distributed
