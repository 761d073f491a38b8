#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"
#include "distributed/made_features.hpp"
#include "distributed/share.hpp"

namespace cone::distributed {
namespace {

/// Square roots in rows of unit length, as one machine makes them.
SparseMatrix scale_words(const SparseMatrix& words) {
  std::vector<std::uint64_t> offsets(words.offsets().begin(), words.offsets().end());
  std::vector<std::uint32_t> columns(words.columns().begin(), words.columns().end());
  std::vector<double> values(words.values().begin(), words.values().end());
  for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
    double squares = 0;
    for (std::uint64_t k = offsets[p]; k < offsets[p + 1]; ++k) {
      squares += std::abs(values[k]);
      values[k] = std::copysign(std::sqrt(std::abs(values[k])), values[k]);
    }
    const double factor = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (std::uint64_t k = offsets[p]; k < offsets[p + 1]; ++k) values[k] *= factor;
  }
  return {words.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

/// Where each arm's part of every ascending list of positions starts.
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

std::vector<Spread> measure_columns(const Ranks& ranks, const Share& share) {
  const auto n = static_cast<double>(share.whole.num_nodes);
  const std::size_t width = share.columns.cols();
  std::vector<Spread> out(width);
  std::vector<double> totals(width), squares(width);
  for (std::size_t c = 0; c < width; ++c) {
    CompensatedSum total;
    for (std::size_t p = 0; p < share.size(); ++p) {
      total.add(share.columns(p, c));
      out[c].largest = std::max(out[c].largest, std::abs(share.columns(p, c)));
    }
    totals[c] = total.value();
    out[c].largest = ranks.allreduce_max(out[c].largest);
  }
  ranks.allreduce(totals);
  for (std::size_t c = 0; c < width; ++c) {
    out[c].mean = totals[c] / n;
    CompensatedSum total;
    for (std::size_t p = 0; p < share.size(); ++p) {
      const double deviation = share.columns(p, c) - out[c].mean;
      total.add(deviation * deviation);
    }
    squares[c] = total.value();
  }
  ranks.allreduce(squares);
  for (std::size_t c = 0; c < width; ++c) out[c].sd = std::sqrt(squares[c] / n);
  return out;
}

/// Whether the column says the same as another up to its sign, on all ranks.
bool is_copy(const Ranks& ranks, const Matrix<double>& standardised, std::size_t a, std::size_t b) {
  constexpr double kSameNumber = 1e-9;
  for (const double sign : {1.0, -1.0}) {
    bool differs = false;
    for (std::size_t p = 0; p < standardised.rows() && !differs; ++p) {
      const double value = standardised(p, a);
      const double difference = std::abs(value - sign * standardised(p, b));
      differs = !(difference <= kSameNumber * (1 + std::abs(value)));
    }
    if (!ranks.any(differs)) return true;
  }
  return false;
}

void standardise_columns(const Ranks& ranks, Share& share) {
  constexpr double kRounding = 1e-10;  // a spread below this share of the size is none
  const std::vector<Spread> spreads = measure_columns(ranks, share);
  Matrix<double> all(share.size(), spreads.size());
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t c = 0; c < spreads.size(); ++c) {
      all(p, c) = spreads[c].sd > 0 ? (share.columns(p, c) - spreads[c].mean) / spreads[c].sd : 0;
    }
  }
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < spreads.size(); ++c) {
    if (!(spreads[c].sd > kRounding * spreads[c].largest)) continue;
    const bool is_new = std::ranges::none_of(
        kept, [&](std::size_t before) { return is_copy(ranks, all, c, before); });
    if (is_new) kept.push_back(c);
  }
  share.columns = Matrix<double>(share.size(), kept.size());
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t k = 0; k < kept.size(); ++k) share.columns(p, k) = all(p, kept[k]);
  }
}

}  // namespace

void scale_features(const Context& context, const Ranks& ranks, const MadeTogether& made,
                    Share& share) {
  if (share.is_scaled) return;
  share.is_scaled = true;
  share.words = scale_words(share.words);
  share.positions_of_words = share.words.transposed();
  share.word_split = split_by_arm(share.positions_of_words, share.arm_begin);
  standardise_columns(ranks, share);
  const bool has_columns = share.columns.cols() > 0;
  share.smooth = made.smooth && has_columns ? make_smooth_together(context, ranks, share)
                                            : Matrix<double>(share.size(), 0);
  share.curves = made.curves && has_columns ? make_curves_together(context, ranks, share)
                                            : Matrix<double>(share.size(), 0);
}

}  // namespace cone::distributed
