#include "evaluate/joint_diagnostics.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "evaluate/overlap_diagnostics.hpp"

namespace cone {

Verdict describe_joint_model(std::span<const JointArm> joint, std::span<const std::string> arms) {
  const auto most = std::ranges::max_element(joint, {}, &JointArm::trust);
  const std::string phrase = arm_phrase(arms, static_cast<std::size_t>(most - joint.begin()));
  if (most->trust == 0) {
    return {false, fmt::format("no clear selection on predicted outcomes, so network_joint equals "
                               "network_dm ({}: {})",
                               phrase, most->reason)};
  }
  return {
      false,
      sentence("units with {} predicted outcomes under {} were more likely to receive it (log "
               "odds {:+.2f} ± {:.2f} per standard deviation, trust {:.2f}); slopes of the parts "
               "of the prediction {} (p {:.2g}){}",
               most->slope > 0 ? "higher" : "lower", phrase, most->slope, most->slope_error,
               most->trust, most->has_equal_slopes ? "do not differ" : "differ",
               most->equal_slopes_p,
               most->has_equal_slopes ? "" : ", so network_joint leaves this arm as it is")};
}

}  // namespace cone
