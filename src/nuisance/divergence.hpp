#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/dataset.hpp"

#include "nuisance/arm_network.hpp"

namespace cone {

/// Says so where the training of an arm's network left the finite numbers. `arm` as arm_adjective
/// calls it.
inline void warn_of_divergence(const ArmNetwork& network, std::size_t fold, const std::string& arm,
                               std::vector<std::string>& warnings) {
  if (!network.diverged()) return;
  warnings.push_back(
      fmt::format("the training of the network of {} nodes in fold {} diverged: the best weights "
                  "before that were kept; lower --learning-rate",
                  arm, fold));
}

}  // namespace cone
