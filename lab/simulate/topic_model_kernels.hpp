#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <hwy/aligned_allocator.h>

// The inner loops of the topic model, vectorised over topics and dispatched at run time to the
// widest instructions of the machine. Single precision; the widths change the order of a few
// additions, so two machine types agree up to rounding and one machine type agrees with itself to
// the last bit.

namespace cone::topic_model {

/// Rows of one float per topic, each row padded to whole vectors and aligned to a cache line, so
/// that kernels need no remainder loop. Values in the padding must be finite.
class TopicTable {
 public:
  static constexpr std::size_t kLanes = 16;

  /// Zero on construction.
  TopicTable(std::size_t rows, std::size_t num_topics)
      : num_topics_(num_topics),
        stride_((num_topics + kLanes - 1) / kLanes * kLanes),
        rows_(rows),
        values_(hwy::AllocateAligned<float>(rows * stride_ + kLanes)) {
    if (values_ == nullptr) throw std::bad_alloc();
    std::fill_n(values_.get(), rows * stride_, 0.0F);
  }

  std::size_t rows() const { return rows_; }
  std::size_t num_topics() const { return num_topics_; }
  std::size_t stride() const { return stride_; }
  /// With the padding.
  std::span<float> row(std::size_t i) { return {values_.get() + i * stride_, stride_}; }
  std::span<const float> row(std::size_t i) const { return {values_.get() + i * stride_, stride_}; }
  const float* data() const { return values_.get(); }

 private:
  std::size_t num_topics_;
  std::size_t stride_;
  std::size_t rows_;
  hwy::AlignedFreeUniquePtr<float[]> values_;
};

/// One row or one column of the counts: rows of the other side's table, with their counts.
struct CountedRows {
  std::span<const std::uint32_t> rows;
  std::span<const float> counts;
};

/// The inner loop of both steps of a pass, written for a document (a word is the same with the
/// sides exchanged): with its own factors θ and the factors β_w of its words,
///
///     responsibility_k = Σ_w n_w β_wk / (Σ_j θ_j β_wj),
///
/// so that θ_k · responsibility_k is the expected number of its words from topic k. Two
/// multiply-adds per entry and topic, summed in single precision in the order of the entries: cut
/// lists of many thousands into pieces.
void responsibilities(const TopicTable& table, const CountedRows& entries,
                      std::span<const float> factors, std::span<float> responsibility);

/// parameters = prior + factors ∘ responsibility. Returns Σ |change of the parameters|, padding
/// included (it never changes after the first call).
float update_parameters(float prior, std::span<const float> factors,
                        std::span<const float> responsibility, std::span<float> parameters);

/// The smallest factor relative to the largest of its row. With it every Σ_j θ_j β_wj is at least
/// 1e-28 and its reciprocal stays within single precision.
inline constexpr float kSmallestFactor = 1e-28F;

/// factors_k = scale_k exp(ψ(parameters_k)), divided by the largest of the row (a common factor
/// cancels in every responsibility) and not below kSmallestFactor. Scales are 0, for padding that
/// gets a factor of exactly 0, or between 1 and 1e20.
void refresh_factors(std::span<const float> parameters, std::span<const float> scale,
                     std::span<float> factors);

/// exp(ψ(x)) of every x > 0, ψ the digamma function. Sizes are multiples of TopicTable::kLanes and
/// data lie on vector boundaries. Relative error below 1e-6, without fused multiply-add below 1e-5
/// at x near 0.01; constant below x = 1/84, where it is 1e-36.
void exp_digamma(std::span<const float> x, std::span<float> out);

}  // namespace cone::topic_model
