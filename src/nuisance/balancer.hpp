#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "balance/kernel_balancing.hpp"

namespace cone {

/// Nodes that are balanced against each other, and their kernel.
struct BalancedGroup {
  std::vector<std::size_t> rows;  ///< of the sample, ascending
  KernelBalancing kernel;
};

/// Kernel balancing of a sample: all nodes together on features, group by group on representations,
/// since those of different encoders are not comparable.
class KernelBalancer : public Balancer {
 public:
  KernelBalancer(LoggedSample sample, std::vector<BalancedGroup> groups);

  BalancedValue value(const Context& context, MatrixView<const double> policy) const override;

 private:
  LoggedSample sample_;
  std::vector<BalancedGroup> groups_;
};

/// Balances the features of the sample, scaled as for the encoders.
KernelBalancer balance_features(const Context& context, const Dataset& data,
                                std::span<const NodeIndex> scored,
                                const KernelBalancingOptions& options);

/// Balances the representations within each group, columns scaled to variance 1 within the group.
/// `z` has one row per row of the sample.
KernelBalancer balance_representations(const Context& context, LoggedSample sample,
                                       MatrixView<const float> z,
                                       std::vector<std::vector<std::size_t>> groups,
                                       const KernelBalancingOptions& options);

}  // namespace cone
