#include "network_ridge/count_factor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "network_ridge/count_products.hpp"

namespace cone {
namespace {

constexpr std::size_t kRowsAtATime = 4096;

/// to[first ...) += factor · from
void add_multiple(const Context& context, double factor, const Matrix<double>& from,
                  std::size_t first, Matrix<double>& to) {
  context.for_each_range(from.rows(), kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    const double* source = from.data() + begin * from.cols();
    double* target = to.data() + (first + begin) * to.cols();
    for (std::size_t k = 0; k < (end - begin) * from.cols(); ++k) target[k] += factor * source[k];
  });
}

}  // namespace

CountFactor::CountFactor(const ArmEquations& equations, std::span<const double> diagonal,
                         std::size_t most_columns)
    : equations_(equations) {
  // Below this ratio, conjugate gradients take hardly more iterations without the group.
  constexpr double kWorthwhile = 1;
  const std::vector<RidgeGroup>& groups = equations.system().groups;
  const std::size_t counts = equations.num_counts();
  const auto positions = static_cast<double>(equations.num_positions_of_all());
  const double mean_diagonal = equations.comm().allreduce(sum(diagonal)) / positions;
  std::vector<std::pair<double, GroupKind>> found;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const GroupKind kind = groups[g].kind;
    if (kind != GroupKind::kOwnCounts && kind != GroupKind::kNeighbourSumsCounts &&
        kind != GroupKind::kNeighbourMeansCounts) {
      continue;
    }
    // σ²·nodes/(features·noise): the signal-to-noise ratio of one feature's direction.
    const double explained =
        equations.model().group_variances[g] * positions / static_cast<double>(counts);
    const double signal = explained / mean_diagonal;
    if (signal > kWorthwhile) found.emplace_back(signal, kind);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [signal, kind] : found) {
    if ((kinds_.size() + 1) * counts <= most_columns) kinds_.push_back(kind);
  }
  std::stable_partition(kinds_.begin(), kinds_.end(),
                        [](GroupKind kind) { return kind == GroupKind::kOwnCounts; });
}

std::size_t CountFactor::num_columns() const { return kinds_.size() * equations_.num_counts(); }

std::size_t CountFactor::num_own_columns() const {
  return has(GroupKind::kOwnCounts) ? equations_.num_counts() : 0;
}

bool CountFactor::has(GroupKind kind) const {
  return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
}

double CountFactor::strength(GroupKind kind) const {
  return std::sqrt(equations_.strengths()[kind]);
}

Matrix<double> CountFactor::multiply_transposed(const Context& context,
                                                const Matrix<double>& v) const {
  const SparseMatrix& counts = equations_.inputs().counts;
  const std::size_t first = equations_.first_position();
  Matrix<double> out(num_columns(), v.cols());
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    Matrix<double> product;
    if (kinds_[k] == GroupKind::kOwnCounts) {
      product = multiply_counts_transposed(context, counts, first,
                                           first + equations_.num_positions(), v.view());
    } else {
      const Matrix<double> sums = equations_.range().spread_to_neighbours(
          context, v, kinds_[k] == GroupKind::kNeighbourMeansCounts);
      product = multiply_counts_transposed(context, counts, 0, counts.rows(), sums.view());
    }
    add_multiple(context, strength(kinds_[k]), product, k * counts.cols(), out);
  }
  return out;
}

void CountFactor::add_product(const Context& context, MatrixView<const double> t,
                              Matrix<double>& out) const {
  const SparseMatrix& counts = equations_.inputs().counts;
  const std::size_t first = equations_.first_position();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const MatrixView<const double> of_kind(t.data() + k * counts.cols() * t.stride(), counts.cols(),
                                           t.cols(), t.stride());
    Matrix<double> product;
    if (kinds_[k] == GroupKind::kOwnCounts) {
      product =
          multiply_counts(context, counts, first, first + equations_.num_positions(), of_kind);
    } else {
      const Matrix<double> of_neighbours =
          multiply_counts(context, counts, 0, counts.rows(), of_kind);
      product = equations_.range().sum_over_neighbours(
          context, of_neighbours, kinds_[k] == GroupKind::kNeighbourMeansCounts);
    }
    add_multiple(context, strength(kinds_[k]), product, 0, out);
  }
}

void CountFactor::write_rows(const Context& context, std::span<const std::uint32_t> rows,
                             const SparseMatrix& ghosts, Matrix<double>& out) const {
  const RidgeInputs& inputs = equations_.inputs();
  const std::size_t counts = equations_.num_counts();
  constexpr std::size_t kPositionsAtATime =
      8;  // numbers of a cache line: `out` has them side by side
  const std::size_t first_kind = has(GroupKind::kOwnCounts) ? 1 : 0;
  const std::size_t width = num_columns() - num_own_columns();
  context.for_each_range(rows.size(), kPositionsAtATime, [&](std::size_t begin, std::size_t end) {
    std::vector<double> written((end - begin) * width, 0.0);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t position = equations_.first_position() + rows[i];
      for (std::size_t k = first_kind; k < kinds_.size(); ++k) {
        double* of_kind = written.data() + (i - begin) * width + (k - first_kind) * counts;
        double factor = strength(kinds_[k]);
        if (kinds_[k] == GroupKind::kNeighbourMeansCounts)
          factor *= inputs.inverse_degree[position];
        for (const std::uint32_t neighbour : inputs.neighbours(position)) {
          const SparseMatrix::Row features = neighbour < inputs.num_nodes()
                                                 ? inputs.counts.row(neighbour)
                                                 : ghosts.row(neighbour - inputs.num_nodes());
          for (std::size_t e = 0; e < features.size(); ++e) {
            of_kind[features.columns[e]] += factor * features.values[e];
          }
        }
      }
    }
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t i = begin; i < end; ++i) out(c, i) = written[(i - begin) * width + c];
    }
  });
}

}  // namespace cone
