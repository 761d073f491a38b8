#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"

/// \file
/// Expected time of the parts of a run: printed before a long run, and used by its progress bar.

namespace cone {

/// A part of a run and its approximate time.
struct ExpectedCost {
  std::string name;
  double seconds = 0;
};

double total_seconds(std::span<const ExpectedCost> costs);

/// The parts of a run as stages, one after the other, each with the share of the time that it is
/// expected to take.
class StageList {
 public:
  /// Within the stage that the context is in. The context must outlive it.
  StageList(const Context& context, std::vector<ExpectedCost> costs);

  std::size_t size() const { return costs_.size(); }
  /// The run is in stage k until the result is destroyed. `label` replaces the name of the cost if
  /// it is given.
  StageScope enter(std::size_t k, std::string_view label = {}) const;
  /// The same, in one of `count` parts of it that are equally long.
  StageScope enter_part(std::size_t k, std::size_t part, std::size_t count) const;

 private:
  double begin(std::size_t k) const { return k == 0 ? 0 : ends_[k - 1]; }

  const Context& context_;
  std::vector<ExpectedCost> costs_;
  std::vector<double> ends_;  ///< shares of the time, the last is 1
};

}  // namespace cone
