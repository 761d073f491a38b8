#include "cone_networks/fitted_plan.hpp"

#include "base/error.hpp"

namespace cone {

FitPlan plan_of(const Context& context, const Dataset& data, const ConeFit& fit) {
  if (data.checksum() != fit.data_checksum) {
    throw Error(ErrorCode::kData,
                Fault{.what = "the model was fitted to other data: its folds would not keep nodes "
                              "from judging themselves",
                      .advice = "fit a model to this data with cone fit"});
  }
  FitPlan plan = make_plan(context, data, fit.plan, fit.seed);
  require(plan.tasks.size() == fit.folds.size(), "cone: a fit of another plan");
  return plan;
}

}  // namespace cone
