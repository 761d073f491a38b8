#pragma once

#include <cstdint>
#include <span>

#include "distributed/node_rows.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Sends every row to the rank that `owner` names. Rows must ascend by number over the ranks, as
/// they do when they were just read; on every rank they still do afterwards. Called by all ranks.
void move_rows(const Ranks& ranks, std::span<const std::uint32_t> owner, NodeRows& rows);

}  // namespace cone::distributed
