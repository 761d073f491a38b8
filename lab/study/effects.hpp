#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "study/run_units.hpp"
#include "study/study.hpp"
#include "study/study_errors.hpp"
#include "study/study_report.hpp"

// `cone reproduce effects`: individual treatment effects on the simulation of Guo, Li and Liu
// (2020), Learning Individual Causal Effects from Networked Observational Data, WSDM.

namespace cone {

/// κ2 of that simulation; κ1 is 10 and the noise 1.
inline constexpr double kEffectStrengths[] = {0.5, 1, 2};

/// An outcome model of the study.
struct EffectsRow {
  std::string label;
  std::string estimator;   ///< of outcome_models(): the direct method whose learner is used
  bool is_oracle = false;  ///< uses topic_features() instead of the features
  NetworkRidgeOptions network_ridge;
  /// The network ridge's effects are shrunk as by cone effects (calibrate_effects), with the
  /// calibration slope of predictions cross-fitted within the nodes that the row fits on.
  bool is_shrunk = false;
};

/// The rows of the study: the estimators given (all of outcome_models() where there are none), the
/// network ridge also without undersmoothing, which is best for single nodes, and then with
/// shrunken effects, and a ridge per arm on the true topics (oracle). Throws Error(kUsage) for
/// estimators that are no outcome model.
std::vector<EffectsRow> effects_rows(std::span<const std::string> estimators);

/// The simulation on a network, with one of kEffectStrengths.
StudySetting effects_setting(const StudyNetwork& network, double kappa2, std::uint64_t seed);

/// One row on one replicate: its learner fits on 60 % of the nodes and selects on 20 % (a learner
/// without selection fits on both), and predicts both arms of the others. Its result:
/// {"root_pehe": √ mean (τ̂_i − τ_i)², "ate_error": |mean (τ̂_i − τ_i)|}, i over the test nodes: the
/// precision in estimation of heterogeneous effects (Hill 2011, Bayesian Nonparametric Modeling for
/// Causal Inference) and the absolute error of the average treatment effect.
/// The setting's network must outlive it.
Unit effects_unit(const StudySetting& setting, std::uint64_t replicate, const EffectsRow& row);

/// The direct methods of the catalogue, whose outcome models are fitted here.
std::vector<std::string_view> outcome_models();

struct EffectsCell {
  MeanAndError root_pehe;
  MeanAndError ate_error;
  std::size_t num_missing = 0;
};

struct EffectsTable {
  std::vector<std::string> networks;
  std::vector<std::string> rows;
  /// [network][row][strength]
  std::vector<std::vector<std::vector<EffectsCell>>> cells;
  int replicates = 0;
  std::uint64_t seed = 0;
  StudyRun run;
};

/// Every row of effects_rows(estimators) on every replicate. Resumes from the records of `store`.
EffectsTable reproduce_effects(const Context& context, std::span<const StudyNetwork> networks,
                               int replicates, std::span<const std::string> estimators,
                               const UnitWork& work);

/// Published results of the same networks beside those of this run.
StudyReport report_effects(const EffectsTable& table);

}  // namespace cone
