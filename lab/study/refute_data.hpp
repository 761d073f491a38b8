#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

#include "base/random.hpp"
#include "inference/clusters.hpp"

// Changes of the data under which the estimate must stay the same, or become 0, and data with known
// truth.

namespace cone {

/// The arms permuted within deciles of the propensity of any arm other than the control arm. The
/// treatment still depends on the features, but not on the outcome given them: its effect is 0.
Dataset permute_treatments(const Dataset& data, MatrixView<const double> propensity, Rng& rng);

/// With one more numeric feature: standard normal draws.
Dataset add_random_feature(const Dataset& data, Rng& rng);

/// Nine tenths of the nodes, ascending.
std::vector<NodeIndex> draw_most_nodes(std::size_t num_nodes, Rng& rng);

/// The subgraph induced by some nodes (ascending), with their data.
Dataset select_nodes(const Dataset& data, std::span<const NodeIndex> nodes);

/// Units of the wild bootstrap: residuals of one unit get the same random sign.
enum class BootstrapUnits { kNodes, kClusters };

template <>
struct EnumNames<BootstrapUnits> {
  static constexpr std::array kNames = {
      std::pair{BootstrapUnits::kNodes, std::string_view("nodes")},
      std::pair{BootstrapUnits::kClusters, std::string_view("clusters")}};
};

/// A data-generating process with known truth: predictions of a fitted outcome model plus noise of
/// the size of its residuals (wild bootstrap, Wu 1986, Jackknife, Bootstrap and Other Resampling
/// Methods in Regression Analysis). Network, features and treatments stay fixed; resampling nodes
/// would break the network.
struct BootstrapWorld {
  Matrix<double> mu;             ///< nodes × arms, out of fold
  std::vector<double> residual;  ///< of the observed outcomes
  Matrix<double> noise;          ///< variances of the potential outcomes, nodes × arms
  Clustering clusters;           ///< that share a sign; none: one sign per node
};

/// One data set drawn from it.
struct BootstrapSample {
  Dataset data;
  Matrix<double> outcome;  ///< under every arm, nodes × arms
};

/// Residuals of the observed arm with a random sign; normal noise under the other arms.
BootstrapSample draw_sample(const BootstrapWorld& world, const Dataset& data, Rng& rng);

/// Value of the policy minus that of the logged policy.
double true_gain(const BootstrapSample& sample, MatrixView<const double> policy);

}  // namespace cone
