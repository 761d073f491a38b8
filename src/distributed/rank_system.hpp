#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"

#include "distributed/share.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone::distributed {

inline constexpr std::size_t kFixed = RidgeSystem::kNumFixed;

/// The equations of network_ridge/ridge_system.hpp with the places spread over ranks. A task learns
/// from the nodes of all folds but its own.
struct RankSystem {
  const Ranks& ranks;
  const Share& share;
  std::vector<RidgeGroup> groups;
  std::vector<ArmModel> arms;
  double undersmoothing = 1;
  std::size_t num_tasks = 0;

  bool learns(std::size_t place, std::size_t task) const {
    return share.fold[place] != static_cast<int>(task);
  }
  double fixed_effect(std::size_t place, std::size_t column) const {
    return fixed_effect_of(share.relative_degree[place], column);
  }
  double noise_at(std::size_t place) const;
  /// σ²_g/c_g of an arm; 0 for groups that are not there.
  double strength(GroupKind kind, std::size_t arm) const;
};

/// K_a·V at every place, V: places × columns. Called by all ranks, as all below.
Matrix<double> multiply_kernel(const Context& context, const RankSystem& system, std::size_t arm,
                               const Matrix<double>& v);

/// K·V where every place has its own arm's kernel and sees the places of its arm only.
Matrix<double> multiply_own_kernels(const Context& context, const RankSystem& system,
                                    const Matrix<double>& v);

/// (K + N)·X with every place's own arm, zero where the column's task does not learn.
Matrix<double> multiply_equations(const Context& context, const RankSystem& system,
                                  std::span<const std::size_t> tasks, const Matrix<double>& x);

}  // namespace cone::distributed
