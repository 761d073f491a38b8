#pragma once

#include "cone/learn.hpp"

namespace cone {

/// Takes the nuisances that the data itself brings, as they are; learns nothing.
class GivenLearner : public Learner {
 public:
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;
};

}  // namespace cone
