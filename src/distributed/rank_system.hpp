#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"

#include "distributed/local_data.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone::distributed {

inline constexpr std::size_t kFixed = RidgeSystem::kNumFixed;

/// The equations of network_ridge/ridge_system.hpp with the positions distributed over ranks. A
/// task learns from the nodes of all folds but its own.
struct RankSystem {
  const Communicator& comm;
  const LocalData& local;
  std::vector<RidgeGroup> groups;
  std::vector<ArmModel> arms;
  double undersmoothing = 1;
  std::size_t num_tasks = 0;

  bool learns(std::size_t position, std::size_t task) const {
    return local.fold[position] != static_cast<int>(task);
  }
  double fixed_effect(std::size_t position, std::size_t column) const {
    return fixed_effect_of(local.relative_degree[position], column);
  }
};

/// K_a·V at every position, V: positions × columns. Collective.
Matrix<double> multiply_kernel(const Context& context, const RankSystem& system, std::size_t arm,
                               const Matrix<double>& v);

}  // namespace cone::distributed
