#include "linear/strength_selection.hpp"

#include <algorithm>
#include <cmath>

#include "cone/error.hpp"

namespace cone {

std::vector<double> signal_grid(double low, double high) {
  const int steps = static_cast<int>(std::lround(2 * std::log10(high / low)));
  std::vector<double> grid = {0.0};
  for (int k = 0; k <= steps; ++k) grid.push_back(low * std::pow(10.0, 0.5 * k));
  return grid;
}

std::vector<double> losses_along_path(std::size_t num_candidates,
                                      const std::function<double(std::size_t)>& loss) {
  return losses_along_paths(1, num_candidates,
                            [&](std::size_t k) { return std::vector<double>{loss(k)}; })[0];
}

std::vector<std::vector<double>> losses_along_paths(
    std::size_t num_splits, std::size_t num_candidates,
    const std::function<std::vector<double>(std::size_t)>& losses) {
  constexpr int kPatience = 3;
  std::vector<std::vector<double>> out(num_splits);
  std::vector<double> best(num_splits, std::numeric_limits<double>::infinity());
  std::vector<int> num_worse(num_splits, 0);
  bool goes_on = true;
  for (std::size_t k = 0; k < num_candidates && goes_on; ++k) {
    const std::vector<double> found = losses(k);
    for (std::size_t s = 0; s < num_splits; ++s) {
      out[s].push_back(found[s]);
      num_worse[s] = found[s] > best[s] ? num_worse[s] + 1 : 0;
      best[s] = std::min(best[s], found[s]);
      goes_on = goes_on && num_worse[s] < kPatience;
    }
  }
  return out;
}

std::size_t find_least_loss(const std::vector<std::vector<double>>& losses) {
  std::size_t common = kNoCandidate;
  for (const std::vector<double>& split : losses) {
    if (!split.empty()) common = std::min(common, split.size());
  }
  if (common == kNoCandidate) return kNoCandidate;
  std::size_t best = kNoCandidate;
  double best_loss = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < common; ++k) {
    double total = 0;
    for (const std::vector<double>& split : losses) total += split.empty() ? 0.0 : split[k];
    if (total < best_loss) {
      best = k;
      best_loss = total;
    }
  }
  if (best == kNoCandidate) {
    throw Error(ErrorCode::kData, Fault{.what = "the values are too large to fit a model to",
                                        .advice = "rescale the outcome and the features"});
  }
  return best;
}

}  // namespace cone
