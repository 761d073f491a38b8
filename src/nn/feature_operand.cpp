#include "nn/feature_operand.hpp"

namespace cone {
namespace {

template <class Real>
void gather(const Context& context, std::span<const std::uint64_t> places,
            std::span<const Real> from, std::span<Real> to) {
  context.for_each_range(places.size(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) to[k] = from[places[k]];
  });
}

}  // namespace

template <class Real>
FeatureOperand<Real>::FeatureOperand(const SparseMatrix& features, std::span<const double> values)
    : pattern_(features),
      column_offsets_(features.cols() + 1),
      column_rows_(features.num_entries()),
      column_entries_(features.num_entries()),
      values_(values.begin(), values.end()),
      values_by_column_(features.num_entries()) {
  for (const std::uint32_t j : pattern_.columns()) ++column_offsets_[j + 1];
  for (std::size_t j = 0; j < pattern_.cols(); ++j) column_offsets_[j + 1] += column_offsets_[j];
  std::vector<std::uint64_t> next(column_offsets_.begin(), column_offsets_.end() - 1);
  for (std::size_t i = 0; i < pattern_.rows(); ++i) {
    for (std::uint64_t k = pattern_.offsets()[i]; k < pattern_.offsets()[i + 1]; ++k) {
      const std::uint64_t slot = next[pattern_.columns()[k]]++;
      column_rows_[slot] = static_cast<std::uint32_t>(i);
      column_entries_[slot] = k;
      values_by_column_[slot] = values_[k];
    }
  }
}

template <class Real>
ops::SparseView<Real> FeatureOperand<Real>::by_row() const {
  return {pattern_.cols(), pattern_.offsets(), pattern_.columns(),
          is_dropped_ ? dropped_ : values_};
}

template <class Real>
ops::SparseView<Real> FeatureOperand<Real>::by_column() const {
  return {pattern_.rows(), column_offsets_, column_rows_,
          is_dropped_ ? dropped_by_column_ : values_by_column_};
}

template <class Real>
void FeatureOperand<Real>::drop(const Context& context, const nn::Dropout& dropout) {
  dropped_.resize(values_.size());
  dropped_by_column_.resize(values_.size());
  const auto scale = static_cast<Real>(1 / (1 - dropout.rate));
  const std::uint32_t threshold = dropout.threshold();
  context.for_each_range(pattern_.rows(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng = dropout.rng(/*layer=*/0, i);
      for (std::uint64_t k = pattern_.offsets()[i]; k < pattern_.offsets()[i + 1]; ++k) {
        dropped_[k] = rng.next_u32() < threshold ? Real{0} : values_[k] * scale;
      }
    }
  });
  gather<Real>(context, column_entries_, dropped_, dropped_by_column_);
  is_dropped_ = true;
}

template class FeatureOperand<float>;
template class FeatureOperand<double>;

}  // namespace cone
