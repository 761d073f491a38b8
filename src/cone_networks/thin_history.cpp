#include "cone_networks/thin_history.hpp"

#include <cmath>

namespace cone {

TrainingCurves thin_history(std::span<const EpochLosses> history, std::size_t best_epoch,
                            const ConeOptions& options) {
  constexpr std::size_t kAlwaysThere = 2;
  const std::size_t room = kMostCurvePoints - kAlwaysThere;
  const std::size_t step =
      history.size() <= kMostCurvePoints ? 1 : (history.size() + room - 1) / room;
  TrainingCurves curves;
  for (std::size_t epoch = 0; epoch < history.size(); ++epoch) {
    if (epoch % step != 0 && epoch != best_epoch && epoch + 1 != history.size()) continue;
    const EpochLosses& losses = history[epoch];
    curves.epoch.push_back(epoch);
    curves.outcome.push_back(losses.outcome);
    curves.treatment.push_back(losses.treatment);
    curves.information.push_back(losses.mutual_information);
    curves.training.push_back(losses.outcome + options.gamma * losses.treatment +
                              options.zeta * losses.mutual_information);
    curves.validation.push_back(losses.validation_outcome +
                                options.gamma * losses.validation_treatment);
  }
  // Without validation nodes their losses are NaN from the first epoch on.
  if (!history.empty() && std::isnan(history.front().validation_outcome)) curves.validation.clear();
  return curves;
}

}  // namespace cone
