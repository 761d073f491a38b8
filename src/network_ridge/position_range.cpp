#include "network_ridge/position_range.hpp"

#include <utility>

#include "ops/neighbour_sums.hpp"

namespace cone {
namespace {

constexpr std::size_t kListedPositions = 4096;

/// Connects some ghosts of the inputs; tables have `num_owned` rows, and the owner's rows start at
/// first[rank].
std::unique_ptr<GhostRows> connect(const RidgeInputs& inputs, std::span<const std::uint32_t> chosen,
                                   std::size_t num_owned, std::size_t num_ghosts,
                                   std::span<const std::uint32_t> ghost_of,
                                   std::span<const std::uint64_t> first = {}) {
  if (!inputs.distributed) return std::make_unique<GhostRows>();
  std::vector<RemoteRow> remote;
  for (const std::uint32_t g : chosen) {
    const RemoteRow& at = inputs.distributed->remote[g];
    remote.push_back({at.rank, first.empty() ? at.row : at.row - first[at.rank]});
  }
  return inputs.comm->connect_ghosts(
      {.num_owned = num_owned, .num_ghosts = num_ghosts, .remote = remote, .ghost_of = ghost_of});
}

}  // namespace

RowLists::RowLists(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> rows,
                   const GhostRows& ghosts)
    : offsets_(offsets), rows_(rows), ghosts_(&ghosts) {}

RowLists::RowLists(std::vector<std::uint64_t> offsets, std::span<const std::uint32_t> rows,
                   const GhostRows& ghosts)
    : own_offsets_(std::move(offsets)), offsets_(own_offsets_), rows_(rows), ghosts_(&ghosts) {}

RowLists::RowLists(std::vector<std::uint64_t> offsets, std::vector<std::uint32_t> rows,
                   const GhostRows& ghosts)
    : own_offsets_(std::move(offsets)),
      own_rows_(std::move(rows)),
      offsets_(own_offsets_),
      rows_(own_rows_),
      ghosts_(&ghosts) {}

Matrix<double> RowLists::sum(const Context& context, MatrixView<const double> table) const {
  auto out = Matrix<double>::unfilled(offsets_.size() - 1, table.cols());
  const GhostedTable ghosted = ghosts_->with_ghosts(table);
  ops::sum_listed_rows(context, offsets_, rows_, ghosted.view(), out.view());
  return out;
}

PositionRange::PositionRange(const RidgeInputs& inputs)
    : inputs_(inputs),
      begin_(0),
      end_(inputs.num_nodes()),
      members_(std::span<const std::uint64_t>(inputs.lists->offsets),
               std::span<const std::uint32_t>(inputs.lists->rows), inputs.ghosts()),
      neighbours_(std::span<const std::uint64_t>(inputs.lists->offsets),
                  std::span<const std::uint32_t>(inputs.lists->rows), inputs.ghosts()) {}

PositionRange::PositionRange(const Context& context, const RidgeInputs& inputs, std::size_t arm,
                             bool uses_network)
    : inputs_(inputs), begin_(inputs.arm_begin[arm]), end_(inputs.arm_begin[arm + 1]) {
  if (!uses_network) return;
  members_ = list_members(context, arm);
  neighbours_ = list_neighbours();
}

RowLists PositionRange::list_members(const Context& context, std::size_t arm) {
  const std::size_t n = inputs_.num_nodes();
  const std::size_t num_arms = inputs_.num_arms();
  const NeighbourLists& lists = *inputs_.lists;
  const auto list_of = [&](std::size_t position) {
    const std::uint64_t* split = &lists.arm_offsets[position * num_arms + arm];
    return std::span(lists.rows).subspan(split[0], split[1] - split[0]);
  };
  std::vector<std::uint32_t> row_of(inputs_.num_ghosts(), 0);
  for (std::size_t p = 0; !row_of.empty() && p < n; ++p) {
    for (const std::uint32_t row : list_of(p)) {
      if (row >= n) row_of[row - n] = 1;
    }
  }
  std::vector<std::uint32_t> in_arm;
  for (std::size_t k = 0; k < row_of.size(); ++k) {
    if (row_of[k] == 0) continue;
    row_of[k] = static_cast<std::uint32_t>(size() + in_arm.size());
    in_arm.push_back(static_cast<std::uint32_t>(k));
  }
  member_ghosts_ = connect(inputs_, in_arm, size(), in_arm.size(), {},
                           inputs_.comm->allgather(std::uint64_t{begin_}));
  std::vector<std::uint64_t> offsets(n + 1, 0);
  for (std::size_t p = 0; p < n; ++p) offsets[p + 1] = offsets[p] + list_of(p).size();
  std::vector<std::uint32_t> rows(offsets.back());
  context.for_each_range(n, kListedPositions, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::uint64_t at = offsets[p];
      for (const std::uint32_t row : list_of(p)) {
        rows[at++] = row < n ? static_cast<std::uint32_t>(row - begin_) : row_of[row - n];
      }
    }
  });
  return {std::move(offsets), std::move(rows), *member_ghosts_};
}

/// The range's positions often have fewer ghost neighbours than all positions together.
RowLists PositionRange::list_neighbours() {
  const std::size_t n = inputs_.num_nodes();
  const NeighbourLists& lists = *inputs_.lists;
  const std::uint64_t first = lists.offsets[begin_];
  const std::span<const std::uint32_t> own =
      std::span(lists.rows).subspan(first, lists.offsets[end_] - first);
  std::vector<std::uint64_t> offsets;
  for (std::size_t p = begin_; p <= end_; ++p) offsets.push_back(lists.offsets[p] - first);
  std::vector<char> is_neighbour(inputs_.num_ghosts(), 0);
  for (const std::uint32_t row : own) {
    if (row >= n) is_neighbour[row - n] = 1;
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t k = 0; k < is_neighbour.size(); ++k) {
    if (is_neighbour[k] != 0) chosen.push_back(static_cast<std::uint32_t>(k));
  }
  neighbour_ghosts_ = connect(inputs_, chosen, n, inputs_.num_ghosts(), chosen);
  return {std::move(offsets), own, *neighbour_ghosts_};
}

Matrix<double> PositionRange::spread_to_neighbours(const Context& context, const Matrix<double>& v,
                                                   bool averages) const {
  if (!averages) return members_.sum(context, v.view());
  return members_.sum(context, divide_by_degree(context, v).view());
}

Matrix<double> PositionRange::sum_over_neighbours(const Context& context, const Matrix<double>& w,
                                                  bool averages) const {
  Matrix<double> out = neighbours_.sum(context, w.view());
  return averages ? divide_by_degree(context, std::move(out)) : out;
}

Matrix<double> PositionRange::divide_by_degree(const Context& context, Matrix<double> v) const {
  context.for_each_range(v.rows(), kListedPositions, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (double& value : v.row(row)) value *= inputs_.inverse_degree[begin_ + row];
    }
  });
  return v;
}

}  // namespace cone
