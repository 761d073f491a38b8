#pragma once

#include <memory>
#include <span>
#include <vector>

#include "balance/kernel_balancing.hpp"
#include "cone_networks/cone_fit.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"

namespace cone {

/// Kernel balancing of the scored nodes: all together where their features are compared, fold by
/// fold where representations are, since those of different encoders have nothing in common.
class BalancedLog {
 public:
  /// Compares nodes by their features, scaled as the encoders see them.
  static BalancedLog on_features(const Context& context, const Dataset& data,
                                 std::span<const NodeIndex> scored,
                                 const KernelBalancingOptions& options);
  /// Compares them by the representations of the fold that scores them, columns to variance 1.
  static BalancedLog on_representations(const Context& context, const Dataset& data,
                                        const ConeFit& fit, const KernelBalancingOptions& options);

  /// policy: one probability per node of the data. Results are in the order of the scored nodes.
  BalancedValue value(const Context& context, std::span<const double> policy) const;

 private:
  struct Part {
    std::vector<NodeIndex> nodes;
    std::vector<double> outcome;
    KernelBalancing balancing;
  };

  std::vector<NodeIndex> scored_;
  std::vector<Part> parts_;
};

}  // namespace cone
