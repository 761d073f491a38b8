#include "nn/training_features.hpp"

namespace cone {
namespace {

template <class Real>
void gather(const Context& context, std::span<const std::uint64_t> entries,
            std::span<const Real> from, std::span<Real> to) {
  context.for_each_range(entries.size(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) to[k] = from[entries[k]];
  });
}

}  // namespace

template <class Real>
TrainingFeatures<Real>::TrainingFeatures(const SparseMatrix& features)
    : pattern_(features),
      column_offsets_(features.cols() + 1),
      column_rows_(features.num_entries()),
      column_entries_(features.num_entries()),
      values_(features.values().begin(), features.values().end()),
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
FeatureViews<Real> TrainingFeatures<Real>::views(std::span<const Real> by_row,
                                                 std::span<const Real> by_column) const {
  return {.by_row = {pattern_.cols(), pattern_.offsets(), pattern_.columns(), by_row},
          .by_column = {pattern_.rows(), column_offsets_, column_rows_, by_column}};
}

template <class Real>
FeatureViews<Real> TrainingFeatures<Real>::drop(const Context& context, const nn::Dropout& dropout,
                                                DroppedFeatures<Real>& memory) const {
  memory.by_row.resize(values_.size());
  memory.by_column.resize(values_.size());
  const auto scale = static_cast<Real>(1 / (1 - dropout.rate));
  const std::uint32_t threshold = dropout.threshold();
  context.for_each_range(pattern_.rows(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng = dropout.rng(/*layer=*/0, i);
      for (std::uint64_t k = pattern_.offsets()[i]; k < pattern_.offsets()[i + 1]; ++k) {
        memory.by_row[k] = rng.next_u32() < threshold ? Real{0} : values_[k] * scale;
      }
    }
  });
  gather<Real>(context, column_entries_, memory.by_row, memory.by_column);
  return views(memory.by_row, memory.by_column);
}

template class TrainingFeatures<float>;
template class TrainingFeatures<double>;

}  // namespace cone
