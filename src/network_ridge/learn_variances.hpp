#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "network_ridge/restricted_likelihood.hpp"

namespace cone {

/// Variances below this share of the noise are set to zero: the group explains nothing, and leaving
/// it out saves its products.
inline constexpr double kNegligibleShare = 1e-4;

struct LearntVariances {
  std::vector<double> variances;  ///< as ArmSample orders them
  double likelihood = 0;          ///< the negative restricted log likelihood at the variances
  std::size_t steps = 0;          ///< evaluations of the likelihood on all nodes
  bool converged = false;
  std::size_t num_nodes = 0;  ///< that they were learnt on
};

/// Variance components by restricted maximum likelihood (REML; Patterson and Thompson 1971,
/// "Recovery of inter-block information when block sizes are unequal"), by damped Newton steps with
/// the average information (Gilmour, Thompson and Cullis 1995, "Average information REML: an
/// efficient algorithm for variance parameter estimation in linear mixed models"). The logarithms
/// are kept within [−16, 6]. Begins on the first nodes in `order`, where a step costs little, and
/// finishes on all. Converged where a further step would gain less than `tolerance` in log
/// likelihood, far below what the data can resolve.
LearntVariances learn_variances(const Context& context, const ArmSample& sample,
                                std::span<const std::size_t> order, double tolerance = 1e-3);

/// The same steps from the variances of a similar sample, on all nodes at once.
LearntVariances improve_variances(const Context& context, const ArmSample& sample,
                                  std::span<const double> start, double tolerance = 1e-3);

/// The same steps from sums over the nodes: `sum_first(k)` gives those of the first k nodes in
/// `order` of the function above, `sums` are those of all nodes.
LearntVariances learn_variances(const Context& context, const FeatureSample& sums,
                                const std::function<FeatureSample(std::size_t)>& sum_first,
                                double tolerance = 1e-3);

/// What most practitioners would do instead of restricted maximum likelihood: one ridge penalty for
/// all groups, chosen by five-fold cross-validated squared error. All groups have the same variance
/// and the noise is homoscedastic; `order` assigns the nodes to the folds. O(n³) per value of the
/// grid.
LearntVariances cross_validate_variances(const Context& context, const ArmSample& sample,
                                         std::span<const std::size_t> order);

}  // namespace cone
