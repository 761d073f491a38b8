#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"

namespace cone {

/// The number of an arm: its place in Dataset::arms. Arm 0 is the control arm.
using Arm = std::uint8_t;

inline constexpr Arm kControlArm = 0;
inline constexpr std::size_t kMaxArms = 16;

/// How sentences call the nodes of an arm: "treated" and "untreated" where the labels are 1 and 0,
/// otherwise the label in quotes.
std::string arm_adjective(std::span<const std::string> labels, Arm arm);

/// The labels that say nothing but "not treated" and "treated": 0 and 1.
bool has_plain_labels(std::span<const std::string> labels);

/// How the columns of the user's own outcome models and propensities are called: "mu0 and mu1", or
/// "mu:LABEL" where arms have labels of their own.
std::string outcome_model_columns(std::span<const std::string> labels);
std::string propensity_columns(std::span<const std::string> labels);

/// Columns of one length, one per arm, as a table nodes × arms.
Matrix<double> join_arms(std::span<const std::vector<double>> columns);

/// P(arm 1) of every node as a table of both arms: 1 − p and p.
Matrix<double> two_arm_probabilities(std::span<const double> treated);

/// Turns the logits of a node's arms into probabilities that add up to 1. Of two arms, the second
/// has the sigmoid of the difference and the first has the rest.
void softmax_arms(std::span<double> logits);

/// One column of a table.
std::vector<double> arm_column(MatrixView<const double> table, Arm arm);

}  // namespace cone
