#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "base/random.hpp"
#include "inference/clusters.hpp"

namespace cone {

/// Whose residuals keep or change their sign together.
enum class BootstrapUnits { kNodes, kClusters };

template <>
struct EnumNames<BootstrapUnits> {
  static constexpr std::array kNames = {
      std::pair{BootstrapUnits::kNodes, std::string_view("nodes")},
      std::pair{BootstrapUnits::kClusters, std::string_view("clusters")}};
};

/// A world like the one the data come from, whose truth is known: outcomes are what a model
/// predicted, plus noise of the size of the residuals (wild bootstrap, Wu 1986). The network, the
/// features and who was treated stay as they are, so neighbours stay neighbours, which drawing
/// nodes anew would not keep.
struct BootstrapWorld {
  Matrix<double> mu;             ///< nodes × arms, out of fold
  std::vector<double> residual;  ///< of the logged outcomes
  Matrix<double> noise;          ///< variance, nodes × arms: of what units would have had
  Clustering clusters;           ///< of signs; none: every node draws its own
};

/// One log from it.
struct BootstrapLog {
  Dataset data;
  Matrix<double> outcome;  ///< under every arm, nodes × arms
};

/// Residuals of the logged arm with a random sign; normal noise under the other arms.
BootstrapLog draw_log(const BootstrapWorld& world, const Dataset& data, Rng& rng);

/// Mean outcome over units, had the policy decided, less what the log has.
double true_gain(const BootstrapLog& log, MatrixView<const double> policy);

}  // namespace cone
