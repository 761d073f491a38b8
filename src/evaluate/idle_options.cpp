#include "evaluate/idle_options.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

namespace cone {
namespace {

class IdleOptions {
 public:
  explicit IdleOptions(const IsGiven& is_given) : is_given_(is_given) {}

  void refuse(std::string_view name, const std::string& what, const std::string& advice) {
    if (is_given_(name)) faults_.push_back({{.item = flag_name(name)}, what, advice});
  }
  void throw_if_any() {
    if (!faults_.empty()) throw Error(ErrorCode::kUsage, std::move(faults_));
  }

 private:
  const IsGiven& is_given_;
  std::vector<Fault> faults_;
};

}  // namespace

void refuse_idle_plan(const IsGiven& is_given, Protocol protocol) {
  const bool split = protocol == Protocol::kSplit;
  const std::vector<std::string_view> idle =
      split ? std::vector<std::string_view>{"folds"}
            : std::vector<std::string_view>{"train_fraction", "validation_fraction", "stratified"};
  IdleOptions options(is_given);
  for (const std::string_view name : idle) {
    options.refuse(name, fmt::format("has no part in --protocol {}", enum_name(protocol)),
                   split ? "leave it out" : "add --protocol split, or leave it out");
  }
  options.throw_if_any();
}

void refuse_idle_budget(const IsGiven& is_given, bool has_curves) {
  if (has_curves) return;
  IdleOptions options(is_given);
  for (const char* name : {"rank_arm", "budget_steps"}) {
    options.refuse(name, "has no part in a run without --rank or --budget-curve",
                   "add one of them, or leave it out");
  }
  options.throw_if_any();
}

void refuse_options_of_model(const IsGiven& is_given) {
  IdleOptions options(is_given);
  const auto refuse = [&](std::string_view name) {
    options.refuse(name, "is decided by the model that --model names",
                   "leave it out, or fit another model with cone fit");
  };
  const auto refuse_option = [&](std::string_view name, const auto&, std::string_view,
                                 const Range& = {}) { refuse(name); };
  const PlanOptions plan;
  PlanOptions::visit(plan, refuse_option);
  const ConeOptions networks;
  ConeOptions::visit(networks, refuse_option);
  const NetworkRidgeOptions network_ridge;
  NetworkRidgeOptions::visit(network_ridge, refuse_option);
  for (const char* name : {"options", "seed", "repeats"}) refuse(name);
  options.throw_if_any();
}

}  // namespace cone
