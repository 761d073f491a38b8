#include <algorithm>

#include <fmt/format.h>

#include "cone/evaluate.hpp"
#include "cone/text.hpp"

#include "data/arm_costs.hpp"

namespace cone {

namespace {

/// Advice for usual names of estimators that the catalogue has under another name, or has not.
std::string explain_usual_name(std::string_view name) {
  struct UsualName {
    std::string_view name;
    const char* advice;
  };
  static constexpr const char* kAipw =
      "dr_ridge is AIPW (augmented inverse propensity weighting), self-normalised unless "
      "--correction "
      "plain";
  static constexpr const char* kIpw = "ips is inverse propensity weighting (Horvitz-Thompson)";
  static constexpr const char* kRegression = "dm_ridge is the regression (plug-in) estimator";
  static constexpr const char* kEffect =
      "an effect is a difference of policies: --policy treat-all treat-none, estimated by dr_ridge "
      "(AIPW) or network_dm; cone effects has node-level effects";
  static constexpr UsualName kUsual[] = {
      {"aipw", kAipw},
      {"aiptw", kAipw},
      {"doubly_robust", kAipw},
      {"dml", kAipw},
      {"irm", kAipw},
      {"tmle", "there is no TMLE; dr_ridge (AIPW) has the same first-order properties"},
      {"ipw", kIpw},
      {"iptw", kIpw},
      {"ht", kIpw},
      {"horvitz_thompson", kIpw},
      {"hajek", "snips is the Hajek (self-normalised) estimator"},
      {"sipw", "snips is the self-normalised estimator"},
      {"g_formula", kRegression},
      {"gcomp", kRegression},
      {"g_computation", kRegression},
      {"plugin", kRegression},
      {"ols", "dm_ols2 is one least-squares fit per arm"},
      {"ate", kEffect},
      {"att", kEffect},
      {"cate", kEffect},
  };
  std::string wanted = lower_case(name);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  for (const UsualName& usual : kUsual) {
    if (usual.name == wanted) return usual.advice;
  }
  return "";
}

}  // namespace

void EvaluateOptions::check(std::vector<Fault>& faults) const {
  std::vector<std::string> known;
  for (const EstimatorInfo& row : catalogue.estimators()) known.emplace_back(row.name);
  for (std::size_t i = 0; i < estimators.size(); ++i) {
    const std::string& name = estimators[i];
    const EstimatorInfo* found = catalogue.find_estimator(name);
    if (found == nullptr) {
      const std::string usual = explain_usual_name(name);
      const std::string nearest = closest_name(name, known);
      faults.push_back({{.item = "--estimators"},
                        fmt::format("there is no estimator '{}'", printable(name)),
                        !usual.empty()    ? usual
                        : nearest.empty() ? fmt::format("choose from {}", fmt::join(known, ", "))
                                          : fmt::format("did you mean {}?", nearest)});
    } else if (found->outcome == LearnerId::kGiven && nuisances == NuisanceSource::kFitted) {
      faults.push_back({{.item = "--estimators"},
                        fmt::format("'{}' uses your own outcome model (mu0 and mu1)", name),
                        fmt::format("add --nuisances given, or choose a fitted one such as "
                                    "{}_ridge",
                                    name)});
    }
    if (std::count(estimators.begin(), estimators.begin() + static_cast<std::ptrdiff_t>(i), name) >
        0) {
      faults.push_back({{.item = "--estimators"},
                        fmt::format("'{}' is named twice", printable(name)),
                        "name it once"});
    }
  }
  check_costs(cost, faults);
  if (!cost.empty() && plan.protocol == Protocol::kSplit) {
    faults.push_back({{.item = "--cost"},
                      "has no effect with --protocol split, which compares no policies",
                      "leave one of them out"});
  }
  if (repeats > 1 && plan.protocol == Protocol::kSplit) {
    faults.push_back(
        {{.item = "--repeats"},
         "cannot be used with --protocol split, where every seed evaluates other nodes",
         "leave one of them out"});
  }
  if (!budget.rank.empty() && plan.protocol == Protocol::kSplit) {
    faults.push_back({{.item = "--rank"},
                      "has no effect with --protocol split, which compares no policies",
                      "leave one of them out"});
  }
  if (!budget.rank.empty() && repeats > 1) {
    faults.push_back({{.item = "--rank"},
                      "belongs to a single seed, and --repeats takes medians over several",
                      "leave one of them out"});
  }
  plan.check(faults);
  network_ridge.check(faults);
}

}  // namespace cone
