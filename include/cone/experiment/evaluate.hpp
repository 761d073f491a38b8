#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/base/options.hpp"
#include "cone/data/dataset.hpp"
#include "cone/data/split.hpp"
#include "cone/estimate/estimate.hpp"
#include "cone/exec/context.hpp"
#include "cone/nuisance/nuisance_options.hpp"
#include "cone/policy/policy.hpp"
#include "cone/results/evaluation_record.hpp"

namespace cone {

/// Which nodes fit and which are scored.
enum class Protocol {
  kCrossFit,  ///< every node is scored, by models that saw neither its outcome nor its treatment
  kSplit,     ///< the paper's way: fit on train, choose on validation, estimate on test
};

template <>
struct EnumNames<Protocol> {
  static constexpr std::array<std::pair<Protocol, std::string_view>, 2> kNames = {
      {{Protocol::kCrossFit, "cross_fit"}, {Protocol::kSplit, "split"}}};
};

enum class NuisanceSource {
  kFitted,  ///< fitted here; the data's own columns are ignored
  kGiven,   ///< the data's own propensity, mu0, mu1; what is not there is fitted
};

template <>
struct EnumNames<NuisanceSource> {
  static constexpr std::array<std::pair<NuisanceSource, std::string_view>, 2> kNames = {
      {{NuisanceSource::kFitted, "fitted"}, {NuisanceSource::kGiven, "given"}}};
};

struct EvaluateOptions {
  std::vector<std::string> estimators;  ///< empty: the defaults of the catalogue
  Protocol protocol = Protocol::kCrossFit;
  NuisanceSource nuisances = NuisanceSource::kFitted;
  int folds = 5;
  int selection_folds = 3;
  EstimatorOptions estimator;
  NuisanceOptions nuisance;
  SplitOptions split;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("estimators", self.estimators, "Comma-separated names (cone estimators lists them)");
    visitor("protocol", self.protocol, "Estimate over all nodes, or on held-out test nodes");
    visitor("nuisances", self.nuisances,
            "Fit propensities and outcome models, or take the data's own columns");
    visitor("folds", self.folds, "Folds of the cross-fitting", between(2, 1000));
    visitor("selection_folds", self.selection_folds,
            "Inner folds that choose regularisation strengths", between(2, 1000));
    EstimatorOptions::visit(self.estimator, visitor);
    NuisanceOptions::visit(self.nuisance, visitor);
    SplitOptions::visit(self.split, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// Being stopped by the observer is an outcome, not an error.
enum class RunStatus { kCompleted, kCancelled };

struct Evaluation {
  RunStatus status = RunStatus::kCompleted;
  EvaluationRecord record;  ///< of a completed run
};

/// Evaluates every policy with every estimator, fitting each nuisance once. The truth, where known,
/// is reported beside the estimates and seen by nothing else. Throws Error for options or data that
/// cannot be evaluated, listing every fault.
Evaluation evaluate(const Context& context, const LoadedData& data,
                    std::span<const EvaluatedPolicy> policies, const EvaluateOptions& options);

}  // namespace cone
