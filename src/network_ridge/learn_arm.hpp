#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"

#include "network_ridge/gathered_arm.hpp"
#include "network_ridge/group_kernels.hpp"
#include "network_ridge/learn_variances.hpp"

namespace cone {

/// The fixed effects in order, without those that are linearly dependent on earlier ones in some
/// set of positions (one per task), or for which a set is too small. Collective.
std::vector<std::size_t> choose_fixed(const RidgeInputs& inputs,
                                      std::span<const std::vector<std::uint32_t>> sets);

/// Positions × some fixed effects.
Matrix<double> take_fixed(const RidgeInputs& inputs, std::span<const std::uint32_t> positions,
                          std::span<const std::size_t> columns);

/// The standard deviation of `values` after least squares on the columns of `fixed`; 0 where they
/// are linearly dependent. Collective.
double residual_sd(const Matrix<double>& fixed, std::span<const double> values,
                   const Communicator& comm);

/// Puts learnt variances (one per group, then the noises) into the model.
void adopt_variances(const LearntVariances& learnt, ArmModel& model);

/// Learns the variances and puts them into the arm's model in the gathered system, whose mean, sd
/// and fixed effects are known. `is_part`: the arm has more nodes. Returns the kernels of the
/// positions.
ArmKernels learn_gathered_arm(const Context& context, const NetworkRidgeOptions& options,
                              bool is_part, GatheredArm& gathered);

}  // namespace cone
