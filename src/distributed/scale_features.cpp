#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"
#include "distributed/derived_features.hpp"
#include "distributed/local_data.hpp"

namespace cone::distributed {
namespace {

/// Square roots of the counts, in rows of unit length, as in one process.
SparseMatrix scale_counts(const SparseMatrix& counts) {
  std::vector<std::uint64_t> offsets(counts.offsets().begin(), counts.offsets().end());
  std::vector<std::uint32_t> columns(counts.columns().begin(), counts.columns().end());
  std::vector<double> values(counts.values().begin(), counts.values().end());
  for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
    double squares = 0;
    for (std::uint64_t k = offsets[p]; k < offsets[p + 1]; ++k) {
      squares += std::abs(values[k]);
      values[k] = std::copysign(std::sqrt(std::abs(values[k])), values[k]);
    }
    const double factor = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (std::uint64_t k = offsets[p]; k < offsets[p + 1]; ++k) values[k] *= factor;
  }
  return {counts.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

/// Where each arm's part of every (ascending) list of positions starts.
std::vector<std::uint64_t> split_by_arm(const SparseMatrix& lists,
                                        std::span<const std::size_t> arm_begin) {
  std::vector<std::uint64_t> split;
  for (std::size_t w = 0; w < lists.rows(); ++w) {
    const auto row = lists.row(w).columns;
    for (std::size_t a = 0; a + 1 < arm_begin.size(); ++a) {
      const auto from = std::ranges::lower_bound(row, arm_begin[a]);
      split.push_back(lists.offsets()[w] + static_cast<std::uint64_t>(from - row.begin()));
    }
  }
  split.push_back(lists.offsets().back());
  return split;
}

struct Spread {
  double mean = 0, sd = 0, largest = 0;
};

std::vector<Spread> measure_columns(const Communicator& comm, const LocalData& local) {
  const auto n = static_cast<double>(local.global.num_nodes);
  const std::size_t width = local.numeric.cols();
  std::vector<Spread> out(width);
  std::vector<double> sums(width), squares(width);
  for (std::size_t c = 0; c < width; ++c) {
    CompensatedSum total;
    for (std::size_t p = 0; p < local.size(); ++p) {
      total.add(local.numeric(p, c));
      out[c].largest = std::max(out[c].largest, std::abs(local.numeric(p, c)));
    }
    sums[c] = total.value();
    out[c].largest = comm.allreduce_max(out[c].largest);
  }
  comm.allreduce(sums);
  for (std::size_t c = 0; c < width; ++c) {
    out[c].mean = sums[c] / n;
    CompensatedSum total;
    for (std::size_t p = 0; p < local.size(); ++p) {
      const double deviation = local.numeric(p, c) - out[c].mean;
      total.add(deviation * deviation);
    }
    squares[c] = total.value();
  }
  comm.allreduce(squares);
  for (std::size_t c = 0; c < width; ++c) out[c].sd = std::sqrt(squares[c] / n);
  return out;
}

/// Whether the columns are equal up to sign, on all ranks.
bool is_copy(const Communicator& comm, const Matrix<double>& standardised, std::size_t a,
             std::size_t b) {
  constexpr double kSameNumber = 1e-9;
  for (const double sign : {1.0, -1.0}) {
    bool differs = false;
    for (std::size_t p = 0; p < standardised.rows() && !differs; ++p) {
      const double value = standardised(p, a);
      const double difference = std::abs(value - sign * standardised(p, b));
      differs = !(difference <= kSameNumber * (1 + std::abs(value)));
    }
    if (!comm.any(differs)) return true;
  }
  return false;
}

void standardise_columns(const Communicator& comm, LocalData& local) {
  constexpr double kRounding = 1e-10;  // a relative spread below this is rounding
  const std::vector<Spread> spreads = measure_columns(comm, local);
  Matrix<double> all(local.size(), spreads.size());
  for (std::size_t p = 0; p < local.size(); ++p) {
    for (std::size_t c = 0; c < spreads.size(); ++c) {
      all(p, c) = spreads[c].sd > 0 ? (local.numeric(p, c) - spreads[c].mean) / spreads[c].sd : 0;
    }
  }
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < spreads.size(); ++c) {
    if (!(spreads[c].sd > kRounding * spreads[c].largest)) continue;
    const bool is_new = std::ranges::none_of(
        kept, [&](std::size_t before) { return is_copy(comm, all, c, before); });
    if (is_new) kept.push_back(c);
  }
  local.numeric = Matrix<double>(local.size(), kept.size());
  for (std::size_t p = 0; p < local.size(); ++p) {
    for (std::size_t k = 0; k < kept.size(); ++k) local.numeric(p, k) = all(p, kept[k]);
  }
}

}  // namespace

void scale_features(const Context& context, const Communicator& comm,
                    const DerivedFeatures& derived, LocalData& local) {
  if (local.is_scaled) return;
  local.is_scaled = true;
  local.counts = scale_counts(local.counts);
  local.counts_transposed = local.counts.transposed();
  local.count_split = split_by_arm(local.counts_transposed, local.arm_begin);
  standardise_columns(comm, local);
  const bool has_columns = local.numeric.cols() > 0;
  local.smooth = derived.smooth && has_columns ? distributed_smooth_features(context, comm, local)
                                               : Matrix<double>(local.size(), 0);
  local.curves = derived.curves && has_columns ? distributed_curve_features(context, comm, local)
                                               : Matrix<double>(local.size(), 0);
}

}  // namespace cone::distributed
