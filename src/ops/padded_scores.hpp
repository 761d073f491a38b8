#pragma once

#include <algorithm>
#include <cstddef>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone::ops {

/// Heads whose scores are processed together; the scores of each node are padded to a multiple of
/// it.
template <class T>
inline constexpr std::size_t kScoreGroup = 32 / sizeof(T);

template <class T>
constexpr std::size_t padded_heads(std::size_t heads) {
  return (heads + kScoreGroup<T> - 1) / kScoreGroup<T> * kScoreGroup<T>;
}

/// A view of n × heads scores whose rows can be read to a multiple of kScoreGroup: the scores
/// themselves where that holds already, else a copy with zeros behind each row.
template <class T>
class PaddedScores {
 public:
  PaddedScores(const Context& context, MatrixView<const T> scores) : view_(scores) {
    if (padded_heads<T>(scores.cols()) == scores.cols()) return;
    copy_ = Matrix<T>(scores.rows(), padded_heads<T>(scores.cols()));
    constexpr std::size_t kRowsPerPiece = 4096;
    context.for_each_range(scores.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::copy_n(scores.row(i).data(), scores.cols(), copy_.row(i).data());
      }
    });
    view_ = copy_.view();
  }
  PaddedScores(const PaddedScores&) = delete;
  PaddedScores& operator=(const PaddedScores&) = delete;

  const MatrixView<const T>& view() const { return view_; }

 private:
  Matrix<T> copy_;
  MatrixView<const T> view_;
};

}  // namespace cone::ops
