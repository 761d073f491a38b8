#pragma once

#include <cstddef>
#include <span>

#include "cone/learn.hpp"
#include "cone/settings.hpp"

#include "cone_networks/encoder_stepper.hpp"

namespace cone {

/// A curve in a record has no more points than this.
inline constexpr std::size_t kMostCurvePoints = 24;

/// The losses of a training for those who look at it: every epoch where there are few, else every
/// k-th from the first on, with the least k that leaves room for the kept epoch and the last, which
/// are always there.
TrainingCurves thin_history(std::span<const EpochLosses> history, std::size_t best_epoch,
                            const ConeOptions& options);

}  // namespace cone
