#include "distributed/rank_estimators.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "distributed/collective_error.hpp"

namespace cone::distributed {
namespace {

/// Refuses what only the engine of one process supports.
void refuse_options(const Communicator& comm, const EvaluateOptions& options) {
  FaultList faults;
  const auto refuse = [&](const char* flag, bool is_asked) {
    if (!is_asked) return;
    faults.add(flag, {{.item = flag},
                      "is not supported with --engine petsc",
                      "leave it out, or evaluate without --engine"});
  };
  for (const std::string& name : options.estimators) {
    if (is_supported(*find_estimator(name))) continue;
    faults.add(
        "estimators",
        {{.item = "--estimators"},
         fmt::format("--engine petsc does not support {}", name),
         "leave it out, or evaluate without --engine: neural networks, kernel balancing, "
         "regression with network cohesion, eigenvectors, the joint model, given nuisances and "
         "propensities on the network need one process"});
  }
  const bool uses_ridge =
      options.estimators.empty() || std::ranges::any_of(options.estimators, [](const auto& name) {
        return find_estimator(name)->needs(LearnerId::kNetworkRidge);
      });
  if (uses_ridge && options.joint_model && !options.randomised) {
    faults.add("joint_model", {{.item = "--engine petsc"},
                               "does not fit the joint model of treatment and outcome, which "
                               "intervals of network_dm allow for",
                               "add --no-joint-model, or evaluate without --engine"});
  }
  refuse("--nuisances given", options.nuisances == NuisanceSource::kGiven);
  refuse("--cost", !options.cost.empty());
  refuse("--repeats", options.repeats > 1);
  refuse("--rank", !options.budget.rank.empty());
  refuse("--protocol split", options.plan.protocol == Protocol::kSplit);
  refuse("--ridge-variances per_fold",
         options.network_ridge.ridge_variances != VarianceFits::kOnce);
  if (!comm.is_root()) faults = {};
  throw_if_any(comm, faults, ErrorCode::kUsage);
}

}  // namespace

bool is_supported(const EstimatorInfo& row) {
  return !row.needs_balance() && row.method != Method::kJointModel &&
         std::ranges::none_of(
             std::array{LearnerId::kNetworks, LearnerId::kCone, LearnerId::kGiven,
                        LearnerId::kNetworkTreatment, LearnerId::kCohesion, LearnerId::kSpectral},
             [&](LearnerId learner) { return row.needs(learner); });
}

std::vector<EstimatorInfo> choose_rows(const Communicator& comm, const EvaluateOptions& options) {
  refuse_options(comm, options);
  std::vector<EstimatorInfo> rows;
  for (const std::string& name : options.estimators) rows.push_back(*find_estimator(name));
  if (!rows.empty()) return rows;
  for (const std::string_view name : default_estimators(/*given_nuisances=*/false)) {
    if (is_supported(*find_estimator(name))) rows.push_back(*find_estimator(name));
  }
  return rows;
}

std::string describe_skipped(const EvaluateOptions& options) {
  std::vector<std::string_view> skipped;
  for (const std::string_view name : default_estimators(/*given_nuisances=*/false)) {
    if (!is_supported(*find_estimator(name))) skipped.push_back(name);
  }
  if (!options.estimators.empty() || skipped.empty()) return "";
  return fmt::format("--engine petsc skips {}, which need one process", fmt::join(skipped, ", "));
}

}  // namespace cone::distributed
