#pragma once

#include <span>
#include <string>

#include "cone/record.hpp"

namespace cone {

/// One sentence on the joint model: the slope of the arm that it trusts most, or why it changes
/// nothing. `joint` has one entry per label of `arms`.
Verdict describe_joint_model(std::span<const JointArm> joint, std::span<const std::string> arms);

}  // namespace cone
