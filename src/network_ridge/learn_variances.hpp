#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "network_ridge/feature_likelihood.hpp"
#include "network_ridge/restricted_likelihood.hpp"

namespace cone {

/// Variances below this share of the noise are taken as zero: their group explains nothing, and
/// leaving it out saves its products.
inline constexpr double kNegligibleShare = 1e-4;

struct LearntVariances {
  std::vector<double> variances;  ///< as ArmSample orders them
  double likelihood = 0;          ///< the negative restricted log likelihood there
  std::size_t steps = 0;          ///< evaluations of the likelihood on all nodes
  bool converged = false;
  std::size_t num_nodes = 0;  ///< that they were learnt on
};

/// Restricted maximum likelihood by Newton steps with the average information, damped, within
/// bounds of the logarithms of [−16, 6]. Begins on the first of the nodes in `order`, where a step
/// costs little, and finishes on all. Converged where a further step would gain less than
/// `tolerance` of the log likelihood, which is far below what data can tell.
LearntVariances learn_variances(const Context& context, const ArmSample& sample,
                                std::span<const std::size_t> order, double tolerance = 1e-3);

/// The same from sums over the nodes, by the same steps: `sum_first(k)` has those of the first k
/// nodes in the order that the search of kernels begins by, `sums` those of all.
LearntVariances learn_variances(const Context& context, const FeatureSample& sums,
                                const std::function<FeatureSample(std::size_t)>& sum_first,
                                double tolerance = 1e-3);

}  // namespace cone
