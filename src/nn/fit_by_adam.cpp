#include "nn/fit_by_adam.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace cone::nn {

template <class Real>
FitOutcome fit_by_adam(const Context& context, const FitSchedule& schedule,
                       const FitProblem& problem, ParameterStore<Real>& parameters) {
  Adam<Real> adam(schedule.adam, parameters.size());
  std::vector<Real> best(parameters.values().begin(), parameters.values().end());
  double best_loss = std::numeric_limits<double>::infinity();
  std::uint32_t best_epoch = 0;
  bool diverged = false;
  for (std::uint32_t epoch = 0;; ++epoch) {
    context.report("training a network", epoch, schedule.epochs);
    const double loss = problem.loss();
    const double held_out = problem.held_out_loss ? problem.held_out_loss() : loss;
    diverged = !std::isfinite(loss) || !std::isfinite(held_out);
    if (diverged) break;
    if (!problem.held_out_loss || held_out < best_loss) {
      best_loss = held_out;
      best_epoch = epoch;
      std::copy(parameters.values().begin(), parameters.values().end(), best.begin());
    }
    if (epoch == schedule.epochs || epoch - best_epoch >= schedule.patience) break;
    adam.step(context, parameters);
  }
  std::copy(best.begin(), best.end(), parameters.values().begin());
  return {.loss = best_loss, .diverged = diverged};
}

template FitOutcome fit_by_adam(const Context&, const FitSchedule&, const FitProblem&,
                                ParameterStore<float>&);
template FitOutcome fit_by_adam(const Context&, const FitSchedule&, const FitProblem&,
                                ParameterStore<double>&);

}  // namespace cone::nn
