#pragma once

#include <memory>
#include <vector>

#include "network_ridge/arm_solver.hpp"

namespace cone::testing {

/// The solver of a system whose arms have been learnt: by dense factors of all arms, or iterative.
inline std::unique_ptr<ArmSolver> make_arm_solver(const Context& context, const Dataset& data,
                                                  const RidgeSystem& system, bool is_dense) {
  auto solver = std::make_unique<ArmSolver>(system);
  for (std::size_t a = 0; is_dense && a < system.arms.size(); ++a) {
    GatheredArm gathered = gather_arm(data, system, a, system.positions_of_arm(a).size(), 0);
    gathered.system.arms = system.arms;
    solver->factorise(context, a, gathered,
                      make_kernels(context, *system.inputs, system.groups, gathered.positions));
  }
  solver->prepare(context, std::vector<char>(system.arms.size(), is_dense ? 1 : 0));
  return solver;
}

}  // namespace cone::testing
