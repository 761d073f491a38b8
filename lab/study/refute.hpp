#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"

#include "study/refute_data.hpp"
#include "study/run_units.hpp"

namespace cone {

inline constexpr std::string_view kRefutationSchema = "cone.refutation/1";

/// Refutation checks: each rerun changes the data or the folds in a way whose effect is known.
enum class RefuteCheck {
  kPlacebo,  ///< a treatment without effect (permute_treatments) must have an estimate near 0
  kFeature,  ///< a random feature must not change the estimate
  kSubset,   ///< leaving out a tenth of the units must change it little
  kSeeds,    ///< other folds must change it little
  /// On data with known truth (BootstrapWorld) the error of refits must not exceed the standard
  /// error.
  kBootstrap,
};

template <>
struct EnumNames<RefuteCheck> {
  static constexpr std::array kNames = {
      std::pair{RefuteCheck::kPlacebo, std::string_view("placebo")},
      std::pair{RefuteCheck::kFeature, std::string_view("feature")},
      std::pair{RefuteCheck::kSubset, std::string_view("subset")},
      std::pair{RefuteCheck::kSeeds, std::string_view("seeds")},
      std::pair{RefuteCheck::kBootstrap, std::string_view("bootstrap")}};
};

struct RefuteOptions {
  std::vector<std::string> checks;  ///< empty: all
  std::uint32_t draws = 10;
  BootstrapUnits bootstrap_by = BootstrapUnits::kNodes;
  int folds = 5;
  int selection_folds = 3;
  NuisanceOptions nuisance;
  NetworkRidgeOptions network_ridge;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("checks", self.checks,
            "Checks to run: placebo, feature, subset, seeds, bootstrap; all if not given");
    visitor("draws", self.draws, "Reruns per check", between(2, 10000));
    visitor("bootstrap_by", self.bootstrap_by,
            "Units of the wild bootstrap: nodes, or communities of the network (if noise is "
            "correlated between neighbours)");
    visitor("folds", self.folds, "Number of cross-fitting folds", between(2, 1000));
    visitor("selection_folds", self.selection_folds,
            "Number of inner folds for choosing regularisation strengths", between(2, 1000));
    NuisanceOptions::visit(self.nuisance, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
  }
  void check(std::vector<Fault>& faults) const;
  std::vector<RefuteCheck> chosen_checks() const;
};

/// Result of one check for one policy. All figures are differences from the logged policy.
struct CheckOutcome {
  RefuteCheck check{};
  /// One per successful rerun; for the bootstrap, estimate minus truth.
  std::vector<double> differences;
  /// Placebo: |mean|; bootstrap: root mean square error; others: root mean square distance from the
  /// original estimate.
  double moved = 0;
  double allowed = 0;
  bool passes = false;
};

struct RefutedPolicy {
  std::string policy;
  double difference = 0;                 ///< of the network ridge, on the original data
  double standard_error = 0;             ///< for the sample
  double population_standard_error = 0;  ///< for the population
  std::vector<CheckOutcome> checks;
};

struct Refutation {
  std::vector<RefutedPolicy> policies;
  UnitsReport units;
  RefuteOptions options;
  std::uint64_t seed = 0;
  std::string data_checksum;
};

/// Fits the network ridge to the original data and to every change of them. A unit of the store is
/// one fit for all policies.
///
/// Thresholds, in standard errors s of the estimate for the sample (p: for the population):
/// placebo passes where the mean of the reruns is within two of its own standard errors of 0, or
/// within s/2; feature and seeds where reruns are within s/2 of the estimate (root mean square);
/// subset where they are within p/2; bootstrap where the root mean square error of m refits is
/// within s·(1 + √(2/m)), which allows for two of its own standard errors.
///
/// Throws Error(kUsage) on bad options, Error(kData) where the original data cannot be fitted, and
/// as run_units does.
Refutation refute(const Context& context, const Dataset& data,
                  std::span<const PolicyOnData> policies, const RefuteOptions& options,
                  const UnitWork& work, const Distribute& distribute = {});

/// What the other ranks call while the root, which has the data, is in refute(), where the context
/// is shared by ranks: they fit what it asks for.
void serve_refutation(const Context& context, const RefuteOptions& options,
                      const Distribute& distribute);

/// Expected run time where no unit is stored yet.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const RefuteOptions& options);

/// Compares the reruns with their threshold; `answer` is the estimate on the original data.
CheckOutcome judge_check(RefuteCheck check, std::vector<double> differences,
                         const RefutedPolicy& answer);

/// One sentence per check and policy.
std::string check_sentence(const CheckOutcome& outcome, const RefutedPolicy& answer);
std::string refutation_text(const Refutation& refutation);
nlohmann::ordered_json to_json(const Refutation& refutation);

}  // namespace cone
