#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone_networks/cone_fit.hpp"
#include "data/dataset.hpp"
#include "estimate/estimate.hpp"
#include "exec/context.hpp"
#include "nuisance/cone_options.hpp"
#include "nuisance/fit_plan.hpp"
#include "nuisance/nuisance_options.hpp"
#include "options/options.hpp"
#include "policy/policy.hpp"
#include "results/evaluation_record.hpp"

namespace cone {

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
  NuisanceSource nuisances = NuisanceSource::kFitted;
  PlanOptions plan;
  EstimatorOptions estimator;
  NuisanceOptions nuisance;
  KernelBalancingOptions kernel;
  ConeOptions cone;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("estimators", self.estimators, "Comma-separated names (cone estimators lists them)");
    visitor("nuisances", self.nuisances,
            "Fit propensities and outcome models, or take the data's own columns");
    PlanOptions::visit(self.plan, visitor);
    EstimatorOptions::visit(self.estimator, visitor);
    NuisanceOptions::visit(self.nuisance, visitor);
    KernelBalancingOptions::visit(self.kernel, visitor);
    ConeOptions::visit(self.cone, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// A nuisance to be fitted and how long that may take, roughly.
struct ExpectedCost {
  std::string name;
  double seconds = 0;
};

/// What an evaluation has to fit, in order: from cheap to dear.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EvaluateOptions& options,
                                         const ConeFit* fitted_cone = nullptr);

/// Whether an evaluation of the data with these options uses cone's networks.
bool uses_cone(const Dataset& data, const EvaluateOptions& options);

/// Evaluates every policy with every estimator, running each learner once, from cheap to dear; an
/// estimator is done as soon as its own learners are. Where the observer asks to stop, the record
/// holds what was finished (status "interrupted"); Cancelled is thrown where nothing was. The
/// truth, where known, is reported beside the estimates and seen by nothing else. Throws Error for
/// options or data that cannot be evaluated, listing every fault.
///
/// `fitted_cone`: cone's networks as fit_cone made them on this data, instead of fitting anew; the
/// plan and the seed must be those of the fit.
EvaluationRecord evaluate(const Context& context, const LoadedData& data,
                          std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                          const ConeFit* fitted_cone = nullptr);

}  // namespace cone
