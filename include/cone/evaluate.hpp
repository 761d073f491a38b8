#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"
#include "cone/settings.hpp"

/// \file
/// One evaluation end to end, with networks that were fitted before where there are any.

// What every front end does around evaluate(): with a model that was fitted before, and with the
// record afterwards.

namespace cone {

struct ConeFit;  // networks fitted to a dataset: cone/model.hpp

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
  NetworkRidgeOptions network_ridge;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("estimators", self.estimators, "Comma-separated names (cone estimators lists them)");
    visitor("nuisances", self.nuisances,
            "Fit propensities and outcome models, or take the data's own columns");
    PlanOptions::visit(self.plan, visitor);
    EstimatorOptions::visit(self.estimator, visitor);
    NuisanceOptions::visit(self.nuisance, visitor);
    KernelBalancingOptions::visit(self.kernel, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
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

/// The estimators that need nothing but cone's networks.
std::vector<std::string> estimators_of_model();

/// The seed and the options of an evaluation by a fitted model: plan, networks and seed are the
/// model's, and where no estimators are named, those that need nothing else.
struct ModelRun {
  EvaluateOptions options;
  std::uint64_t seed = 0;
};
ModelRun adopt_model(const ConeFit& model, EvaluateOptions options);

/// Throws Error(kData) unless the model was fitted to this data. The names are for the message.
void require_model_of(const ConeFit& model, const std::string& model_name, const Dataset& data,
                      const std::string& data_name);

/// Where the data and the networks of an evaluation came from.
struct Provenance {
  std::string data;  ///< as the user named it
  LoadOptions table;
  const ConeFit* model = nullptr;  ///< from a file; nullptr where it was fitted for this run
  double load_seconds = 0;
  double total_seconds = 0;
};

/// Puts it into the record, with the choices that the loader made.
void add_provenance(const Provenance& provenance, const LoadedData& data, EvaluationRecord& record);

}  // namespace cone
