#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/evaluate.hpp"
#include "cone/options.hpp"

namespace cone {

void refuse_idle_plan(const IsGiven& is_given, Protocol protocol) {
  const bool split = protocol == Protocol::kSplit;
  const std::vector<std::string_view> idle =
      split ? std::vector<std::string_view>{"folds"}
            : std::vector<std::string_view>{"train_fraction", "validation_fraction", "stratified"};
  IdleOptions options(is_given);
  for (const std::string_view name : idle) {
    options.refuse(name, fmt::format("has no effect with --protocol {}", enum_name(protocol)),
                   split ? "leave it out" : "add --protocol split, or leave it out");
  }
  options.throw_if_any();
}

void refuse_idle_budget(const IsGiven& is_given, bool has_curves) {
  if (has_curves) return;
  IdleOptions options(is_given);
  for (const char* name : {"rank_arm", "budget_steps"}) {
    options.refuse(name, "has no effect without --rank or --budget-curve",
                   "add one of them, or leave it out");
  }
  options.throw_if_any();
}

void refuse_options_of_model(const IsGiven& is_given) {
  IdleOptions options(is_given);
  const std::string what = "is fixed by the model in --model";
  const std::string advice = "leave it out, or fit another model with cone fit";
  options.refuse_all<PlanOptions>(what, advice);
  options.refuse_all<ConeOptions>(what, advice);
  options.refuse_all<NetworkRidgeOptions>(what, advice);
  for (const char* name : {"options", "seed", "repeats"}) options.refuse(name, what, advice);
  options.throw_if_any();
}

void refuse_idle_models(const IsGiven& is_given, const LearnPolicyOptions& options) {
  IdleOptions idle(is_given);
  const std::string advice = "leave one of them out";
  if (options.outcome_model == RuleOutcomeModel::kRidge) {
    idle.refuse_all<NetworkRidgeOptions>("has no effect with --outcome-model ridge", advice);
  }
  if (options.propensities == PropensitySource::kGiven) {
    idle.refuse("propensity_bound", "has no effect with --propensities given", advice);
  }
  idle.throw_if_any();
}

}  // namespace cone
