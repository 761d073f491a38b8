#pragma once

#include "cone/learn.hpp"

namespace cone {

/// Uses the nuisances given with the data, unchanged; learns nothing.
class GivenLearner : public Learner {
 public:
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;
};

}  // namespace cone
