#pragma once

#include <vector>

#include "cone/learn.hpp"

#include "distributed/dense_arms.hpp"
#include "distributed/rank_system.hpp"
#include "network_ridge/learn_variances.hpp"

namespace cone::distributed {

struct LearntArms {
  std::vector<LearntVariances> learnt;  ///< one per arm
  DenseArms dense;                      ///< small arms, ready to be solved
};

/// Learns the variances of every arm as one process does: from all nodes of an arm, or from a
/// sample of at most `most_nodes` (choose_sample_size). The arm's owner receives the sample,
/// maximises the restricted likelihood and broadcasts the variances. Sets system.arms.
LearntArms learn_arms(const Context& context, const NetworkRidgeOptions& options,
                      std::size_t most_nodes, RankSystem& system);

}  // namespace cone::distributed
