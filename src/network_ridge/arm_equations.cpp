#include "network_ridge/arm_equations.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ops/neighbour_sums.hpp"

namespace cone {
namespace {

constexpr std::size_t kListedPositions = 4096;

}  // namespace

ArmEquations::ArmEquations(const Context& context, const EquationSource& source, std::size_t arm)
    : source_(source),
      tables_(source.tables()),
      arm_(arm),
      first_(tables_.arm_begin[arm]),
      count_(tables_.arm_begin[arm + 1] - tables_.arm_begin[arm]),
      strengths_(tables_.groups, tables_.arms[arm]) {
  noise_.reserve(count_);
  for (std::size_t row = 0; row < count_; ++row) {
    noise_.push_back(
        noise_of_position(model(), tables_.relative_degree[first_ + row], tables_.undersmoothing));
  }
  count_positions();
  list_members(context);
  connect_neighbours();
}

void ArmEquations::count_positions() {
  std::array<double, 2> counts{static_cast<double>(count_), 0};
  for (std::size_t row = 0; row < count_; ++row) counts[1] += learns_at_all(row) ? 1 : 0;
  comm().allreduce(counts);
  count_of_all_ = static_cast<std::size_t>(counts[0]);
  learning_of_all_ = static_cast<std::size_t>(counts[1]);
}

/// Lists the neighbours of every position that are in the arm, as rows of the arm's tables.
void ArmEquations::list_members(const Context& context) {
  const std::size_t n = tables_.num_positions();
  const std::size_t num_arms = tables_.arm_begin.size() - 1;
  const auto list_of = [&](std::size_t position) {
    const std::uint64_t* split = &tables_.arm_offsets[position * num_arms + arm_];
    return tables_.lists.subspan(split[0], split[1] - split[0]);
  };
  std::vector<std::uint32_t> row_of(source_.num_ghosts(), 0);
  for (std::size_t p = 0; !row_of.empty() && p < n; ++p) {
    for (const std::uint32_t row : list_of(p)) {
      if (row >= n) row_of[row - n] = 1;
    }
  }
  std::vector<std::uint32_t> members;
  for (std::size_t k = 0; k < row_of.size(); ++k) {
    if (row_of[k] == 0) continue;
    row_of[k] = static_cast<std::uint32_t>(count_ + members.size());
    members.push_back(static_cast<std::uint32_t>(k));
  }
  arm_ghosts_ = source_.connect_arm(arm_, members);
  const std::vector<std::uint32_t> table_row = arm_ghosts_->map_rows();
  offsets_.assign(n + 1, 0);
  for (std::size_t p = 0; p < n; ++p) offsets_[p + 1] = offsets_[p] + list_of(p).size();
  rows_.resize(offsets_.back());
  context.for_each_range(n, kListedPositions, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::uint64_t at = offsets_[p];
      for (const std::uint32_t neighbour_row : list_of(p)) {
        const std::uint32_t row = neighbour_row < n
                                      ? static_cast<std::uint32_t>(neighbour_row - first_)
                                      : row_of[neighbour_row - n];
        rows_[at++] = table_row.empty() ? row : table_row[row];
      }
    }
  });
}

/// The arm's positions often have fewer ghost neighbours than all positions together.
void ArmEquations::connect_neighbours() {
  const std::size_t n = tables_.num_positions();
  const std::uint64_t begin = tables_.list_offsets[first_];
  for (std::size_t row = 0; row <= count_; ++row) {
    list_offsets_.push_back(tables_.list_offsets[first_ + row] - begin);
  }
  lists_ = tables_.lists.subspan(begin, list_offsets_.back());
  std::vector<char> is_neighbour(source_.num_ghosts(), 0);
  for (const std::uint32_t row : lists_) {
    if (row >= n) is_neighbour[row - n] = 1;
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t k = 0; k < is_neighbour.size(); ++k) {
    if (is_neighbour[k] != 0) chosen.push_back(static_cast<std::uint32_t>(k));
  }
  neighbour_ghosts_ = source_.connect_neighbours(chosen);
  const std::vector<std::uint32_t> table_row = neighbour_ghosts_->map_rows();
  if (table_row.empty()) return;
  ghosted_lists_.assign(lists_.begin(), lists_.end());
  for (std::uint32_t& row : ghosted_lists_) row = table_row[row];
  lists_ = ghosted_lists_;
}

bool ArmEquations::learns_at_all(std::size_t row) const {
  return std::any_of(tables_.learns_from.begin(), tables_.learns_from.end(),
                     [&](const std::vector<char>& task) { return task[first_ + row] != 0; });
}

Matrix<double> ArmEquations::multiply_adjacency_transposed(const Context& context,
                                                           const Matrix<double>& v,
                                                           bool averages) const {
  auto out = Matrix<double>::unfilled(tables_.num_positions(), v.cols());
  const Matrix<double> divided = averages ? divide_by_degree(context, v) : Matrix<double>();
  const GhostedTable ghosted = arm_ghosts_->with_ghosts(averages ? divided.view() : v.view());
  ops::sum_listed_rows(context, offsets_, rows_, ghosted.view(), out.view());
  return out;
}

Matrix<double> ArmEquations::multiply_adjacency(const Context& context, bool averages,
                                                const Matrix<double>& w) const {
  auto out = Matrix<double>::unfilled(count_, w.cols());
  const GhostedTable ghosted = neighbour_ghosts_->with_ghosts(w.view());
  ops::sum_listed_rows(context, list_offsets_, lists_, ghosted.view(), out.view());
  return averages ? divide_by_degree(context, std::move(out)) : out;
}

Matrix<double> ArmEquations::divide_by_degree(const Context& context, Matrix<double> v) const {
  context.for_each_range(v.rows(), kListedPositions, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (double& value : v.row(row)) value *= tables_.inverse_degree[first_ + row];
    }
  });
  return v;
}

}  // namespace cone
