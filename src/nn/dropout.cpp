#include "nn/dropout.hpp"

namespace cone::nn {

template <class Real>
void apply_dropout(const Context& context, const Dropout& dropout, std::uint64_t layer,
                   MatrixView<Real> x) {
  const auto scale = static_cast<Real>(1 / (1 - dropout.rate));
  const std::uint32_t threshold = dropout.threshold();
  context.for_each_range(x.rows(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng = dropout.rng(layer, i);
      for (Real& value : x.row(i)) value = rng.next_u32() < threshold ? Real{0} : value * scale;
    }
  });
}

template void apply_dropout(const Context&, const Dropout&, std::uint64_t, MatrixView<float>);
template void apply_dropout(const Context&, const Dropout&, std::uint64_t, MatrixView<double>);

}  // namespace cone::nn
