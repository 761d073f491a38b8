#pragma once

#include <optional>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/groups.hpp"
#include "network_ridge/network_ridge.hpp"

// Held-out predictions of an arm's outcome and the contributions of groups of effects to them, in
// units of the arm, by position.

namespace cone {

/// Whether the effects of the group are the network's, not those of own features.
bool is_network_group(GroupKind kind);

/// Predictions of every position by the task that scores it, from positions × tasks.
std::vector<double> take_held_out(const NetworkRidge& ridge, const Matrix<double>& predicted);

/// The contribution of all groups of the network; none where none has a variance. Collective.
std::optional<std::vector<double>> predict_network_part(const Context& context,
                                                        const NetworkRidge& ridge,
                                                        const RidgeSolution& solution,
                                                        std::size_t arm);

/// The contributions of own features, sums over neighbours, means over neighbours, smooth effects
/// and communities, without those that hardly vary: positions × parts. Collective.
Matrix<double> split_prediction(const Context& context, const NetworkRidge& ridge,
                                const RidgeSolution& solution, std::size_t arm);

}  // namespace cone
