#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"

#include "network_ridge/group_kernels.hpp"
#include "network_ridge/learn_variances.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The fixed effects in order, without those that are linearly dependent on earlier ones on the
/// nodes of some task, or for which some task has too few nodes. `products`: the Gram matrix of the
/// fixed effects, one per task.
std::vector<std::size_t> choose_fixed(std::span<const Matrix<double>> products);

/// The rows in the order of their ids' hashes: the first k are a random sample that does not depend
/// on the order of the nodes.
std::vector<std::size_t> order_by_hash(std::span<const std::uint64_t> hash);

/// The nodes of an arm that its variances are learnt from.
struct SampledArm {
  std::span<const std::uint32_t> positions;
  std::span<const double> outcome;
  std::vector<std::uint64_t> hash;  ///< of the ids
  bool is_part = false;             ///< the arm has more nodes
};

struct LearntArm {
  LearntVariances learnt;
  ArmKernels kernels;  ///< of the positions
};

/// Puts learnt variances (one per group, then the noises) into the model.
void adopt_variances(const LearntVariances& learnt, ArmModel& model);

/// Learns the variances and puts them into the model, whose mean, sd and fixed effects are known.
LearntArm learn_sampled_arm(const Context& context, const RidgeSystem& system,
                            const NetworkRidgeOptions& options, const SampledArm& sampled,
                            ArmModel& model);

}  // namespace cone
