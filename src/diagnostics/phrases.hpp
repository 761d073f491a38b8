#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <fmt/format.h>

#include "cone/dataset.hpp"
#include "cone/text.hpp"

namespace cone {

/// An arm in sentences: "treatment" and "no treatment" where the labels are 1 and 0, otherwise
/// "arm 'label'".
inline std::string arm_phrase(std::span<const std::string> labels, std::size_t arm) {
  if (has_plain_labels(labels)) return arm == kControlArm ? "no treatment" : "treatment";
  return fmt::format("arm '{}'", printable(labels[arm]));
}

/// "p 0.03", or "p < 0.0001".
inline std::string p_phrase(double p) { return p < 1e-4 ? "p < 0.0001" : sentence("p {:.2g}", p); }

}  // namespace cone
