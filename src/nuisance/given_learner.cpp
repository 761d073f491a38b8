#include "nuisance/given_learner.hpp"

namespace cone {

Nuisances GivenLearner::fit(const Context& /*context*/, const Dataset& data,
                            const FitPlan& plan) const {
  Nuisances out;
  if (data.mu) out.outcome = OutcomeTable{.mu = take_rows(data.mu->view(), plan.scored)};
  if (data.propensity) {
    out.propensity = PropensityTable{.e = take_rows(data.propensity->view(), plan.scored)};
  }
  return out;
}

}  // namespace cone
