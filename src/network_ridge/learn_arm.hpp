#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"

#include "network_ridge/gathered_arm.hpp"
#include "network_ridge/group_kernels.hpp"
#include "network_ridge/learn_variances.hpp"

namespace cone {

/// The fixed effects in order, without those that are linearly dependent on earlier ones on the
/// nodes of some task, or for which some task has too few nodes. `products`: the Gram matrix of the
/// fixed effects, one per task.
std::vector<std::size_t> choose_fixed(std::span<const Matrix<double>> products);

struct LearntArm {
  LearntVariances learnt;
  ArmKernels kernels;  ///< of the positions
};

/// Puts learnt variances (one per group, then the noises) into the model.
void adopt_variances(const LearntVariances& learnt, ArmModel& model);

/// Learns the variances and puts them into the arm's model in the gathered system, whose mean, sd
/// and fixed effects are known. `is_part`: the arm has more nodes.
LearntArm learn_gathered_arm(const Context& context, const NetworkRidgeOptions& options,
                             bool is_part, GatheredArm& gathered);

}  // namespace cone
