#pragma once

#include <cstddef>
#include <span>

#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "cone_networks/encoder_stepper.hpp"

namespace cone {

/// The most points of a loss curve in a record.
inline constexpr std::size_t kMostCurvePoints = 24;

/// The loss curves of a training for reports: every epoch where there are few, else every k-th from
/// the first on, with the least k that leaves room for the best epoch and the last one, which are
/// always included.
TrainingCurves thin_history(std::span<const EpochLosses> history, std::size_t best_epoch,
                            const ConeOptions& options);

}  // namespace cone
