#include "nuisance/run_folds.hpp"

#include <fmt/format.h>

#include "exec/side_by_side.hpp"

namespace cone {
namespace {

/// Of all folds together. Beyond it, a fold is large enough to keep many threads busy.
constexpr std::uint64_t kMostBytesInParallel = std::uint64_t{1} << 30;

}  // namespace

void run_folds(const Context& context, std::size_t num_folds, std::uint64_t bytes_per_fold,
               const std::function<void(std::size_t, const Context&)>& fit) {
  const auto threads = static_cast<std::size_t>(context.num_threads());
  if (num_folds > 1 && threads >= num_folds && bytes_per_fold <= kMostBytesInParallel / num_folds) {
    const StageScope stage(context, fmt::format("{} folds in parallel", num_folds), 0, 1);
    return run_side_by_side(context, "fitting folds", num_folds, fit);
  }
  const auto count = static_cast<double>(num_folds);
  for (std::size_t k = 0; k < num_folds; ++k) {
    const StageScope stage(context, fmt::format("fold {} of {}", k + 1, num_folds),
                           static_cast<double>(k) / count, static_cast<double>(k + 1) / count);
    fit(k, context);
  }
}

}  // namespace cone
