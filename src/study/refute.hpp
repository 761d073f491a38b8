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
#include "cone/forecast.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"
#include "cone/settings.hpp"

#include "study/refit_bootstrap.hpp"
#include "study/run_units.hpp"

namespace cone {

inline constexpr std::string_view kRefutationSchema = "cone.refutation/1";

/// Reruns with a reason: each changes the data, or chance, in a way whose effect is known.
enum class RefuteCheck {
  kPlacebo,  ///< a treatment that does nothing (permute_treatments) must seem to do nothing
  kFeature,  ///< a feature of random numbers must change nothing
  kSubset,   ///< leaving a tenth of the units out must change little
  kSeeds,    ///< other folds must change little
  /// In logs of a world that is known, refits must miss the truth by no more than the standard
  /// error says (BootstrapWorld).
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
            "Which checks to run, of placebo, feature, subset, seeds, bootstrap; without it all of "
            "them");
    visitor("draws", self.draws, "Reruns per check", between(2, 10000));
    visitor("bootstrap_by", self.bootstrap_by,
            "bootstrap: noise changes its sign for nodes one by one, or for whole clusters of the "
            "network (neighbours may share noise)");
    visitor("folds", self.folds, "Folds of the cross-fitting", between(2, 1000));
    visitor("selection_folds", self.selection_folds,
            "Inner folds that choose regularisation strengths", between(2, 1000));
    NuisanceOptions::visit(self.nuisance, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
  }
  void check(std::vector<Fault>& faults) const;
  std::vector<RefuteCheck> chosen_checks() const;
};

/// What one check found of one policy. All figures are differences from the logged policy.
struct CheckOutcome {
  RefuteCheck check{};
  /// One per rerun that succeeded; of the bootstrap, estimate less truth.
  std::vector<double> differences;
  /// Placebo: |mean|; bootstrap: root mean square; others: of the distance from the answer.
  double moved = 0;
  double allowed = 0;
  bool passes = false;
};

struct RefutedPolicy {
  std::string policy;
  double difference = 0;                 ///< of the network ridge, on the data as they are
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

/// Fits the network ridge to the data as they are and to every change of them. A unit of the store
/// is one fit for all policies.
///
/// Thresholds, in standard errors s of the answer for the sample (p: for the population):
/// placebo passes where the mean of the reruns is within two of its own standard errors of 0, or
/// within s/2; feature and seeds where reruns are within s/2 of the answer (root mean square);
/// subset where they are within p/2; bootstrap where the root mean square error of m refits is
/// within s·(1 + √(2/m)), which is two standard errors of what chance does to it.
///
/// Throws Error(kUsage) on bad options, Error(kData) where the data allow no fit as they are, and
/// as run_units does.
Refutation refute(const Context& context, const Dataset& data,
                  std::span<const PolicyOnData> policies, const RefuteOptions& options,
                  const UnitWork& work);

/// What that may take, where no unit is there yet.
std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const RefuteOptions& options);

/// Figures and thresholds to a verdict; `answer` is the difference on the data as they are.
CheckOutcome judge_check(RefuteCheck check, std::vector<double> differences,
                         const RefutedPolicy& answer);

/// One sentence per check and policy.
std::string check_sentence(const CheckOutcome& outcome, const RefutedPolicy& answer);
std::string refutation_text(const Refutation& refutation);
nlohmann::ordered_json to_json(const Refutation& refutation);

}  // namespace cone
