#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/dataset.hpp"

#include "nuisance/arm_network.hpp"

namespace cone {

/// Warns where the training of an arm's network diverged. `arm` as from arm_adjective.
inline void warn_of_divergence(const ArmNetwork& network, std::size_t fold, const std::string& arm,
                               std::vector<std::string>& warnings) {
  if (!network.diverged()) return;
  warnings.push_back(
      fmt::format("the training of the network of {} nodes in fold {} diverged, and the best "
                  "weights before that were kept: lower --learning-rate",
                  arm, fold));
}

}  // namespace cone
