#pragma once

#include <cstdint>
#include <vector>

#include <hwy/targets.h>

namespace cone::testing {

/// The instruction sets that kernels were compiled for and this machine has, best first.
inline std::vector<std::int64_t> targets_of_this_machine() {
  return hwy::SupportedAndGeneratedTargets();
}

/// The least of them, which every machine has.
inline std::int64_t baseline_target() { return HWY_STATIC_TARGET; }

/// Lets every kernel run on one instruction set from now on; 0: on the best again.
inline void choose_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace cone::testing
