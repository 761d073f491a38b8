#pragma once

#include <vector>

#include "cone/learn.hpp"

#include "distributed/dense_arms.hpp"
#include "distributed/rank_system.hpp"
#include "network_ridge/learn_variances.hpp"

namespace cone::distributed {

struct LearntTogether {
  std::vector<LearntVariances> learnt;  ///< one per arm
  DenseArms dense;                      ///< small arms, ready to be solved
};

/// Learns the variances of every arm as one machine does: from all nodes of an arm, or from a
/// sample where there are many. The sample of an arm goes to one rank, which climbs the likelihood
/// and tells the others. Puts the arms' models into the system. `most_nodes`: of such a sample
/// (choose_sample_size).
LearntTogether learn_together(const Context& context, const NetworkRidgeOptions& options,
                              std::size_t most_nodes, RankSystem& system);

}  // namespace cone::distributed
