#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"

namespace cone {

/// The range of plausible predictions: that of the outcomes that a task fits on, all arms together,
/// widened by half its width on either side. A mean outcome lies within the range of outcomes; the
/// margin leaves room for nodes unlike those fitted on, and an arm of few nodes borrows the range
/// of the others.
struct PlausibleRange {
  double low = 0;
  double high = 0;
};
PlausibleRange plausible_range(const Dataset& data, std::span<const NodeIndex> fitted,
                               const Communicator& comm = Communicator::self());

/// Adds to `out` those of `mu` (the predictions for an arm in these rows) that are outside the
/// range.
void note_implausible(const PlausibleRange& range, std::span<const std::size_t> rows, Arm arm,
                      std::span<const double> mu, OutcomeTable& out);

/// Replaces the implausible predictions by their limits.
void bound_predictions(OutcomeTable& out);

}  // namespace cone
