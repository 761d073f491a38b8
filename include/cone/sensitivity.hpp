#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"

/// \file
/// Sensitivity analysis for unmeasured confounding: bounds on policy values, and the strength that
/// changes a conclusion.

// First pure functions of arrays of one length n (the evaluation nodes), then the whole analysis of
// a dataset. docs/sensitivity.md explains both.

namespace cone {

/// Logged data and nuisances. Tables are nodes × arms, out of fold.
struct LoggedTables {
  std::span<const Arm> arm;
  std::span<const double> outcome;
  MatrixView<const double> mu;  ///< predicted outcomes
  MatrixView<const double> e;   ///< propensities, above 0
};

/// Whether a policy's value is analysed, or its difference from a reference.
enum class Reference {
  kNothing,  ///< the value itself
  kLogged,   ///< minus the mean of the observed outcomes
  kPolicy,   ///< minus the value of another policy
};

template <>
struct EnumNames<Reference> {
  static constexpr std::array kNames = {std::pair{Reference::kNothing, std::string_view("none")},
                                        std::pair{Reference::kLogged, std::string_view("logged")},
                                        std::pair{Reference::kPolicy, std::string_view("policy")}};
};

struct Contrast {
  MatrixView<const double> policy;  ///< nodes × arms
  Reference reference = Reference::kNothing;
  MatrixView<const double> against;  ///< nodes × arms; only with Reference::kPolicy
  /// Survey weights over their mean; empty: equal weights. The tables above come multiplied by them
  /// (weigh_rows).
  std::span<const double> units;

  /// δ_a(i): the policy's probability less that of the other policy, where there is one. The value
  /// of the logged policy is known, so nothing is subtracted for it here.
  double weight(std::size_t i, std::size_t a) const {
    return policy(i, a) - (reference == Reference::kPolicy ? against(i, a) : 0.0);
  }
  double units_at(std::size_t i) const { return units.empty() ? 1 : units[i]; }
};

/// The plain doubly robust estimate of a contrast with its influence: the bounds at Λ = 1.
struct ContrastEstimate {
  double value = 0;
  double standard_error = 0;             ///< for the sample
  double population_standard_error = 0;  ///< for the population
  /// For the sample, centred: δ_T (1 − e_T)/e_T · r. `unlogged_variance` belongs to it.
  std::vector<double> influence;
  std::vector<double> population_influence;  ///< φ − mean φ
  /// Σ_i Σ_{a ≠ T} (δ_a σ_a/n)²: noise of the unobserved potential outcomes.
  double unlogged_variance = 0;
};

// ---- the marginal sensitivity model -------------------------------------------------------------

/// One end of the bounds of a contrast.
struct BoundEnd {
  double value = 0;
  double standard_error = 0;             ///< for the sample
  double population_standard_error = 0;  ///< for the population
};

/// Bounds under the marginal sensitivity model with odds ratio Λ.
struct MarginalBounds {
  double lambda = 1;
  BoundEnd lower;
  BoundEnd upper;
};

/// Γ_a(i) at both ends, nodes × arms: the mean of Σ_a δ_a Γ_a, Γ⁺ where δ_a > 0 and Γ⁻ where it is
/// below 0, is the upper end of a contrast. At Λ = 1 both are doubly_robust_scores().
struct MarginalScores {
  double lambda = 1;
  Matrix<double> lower;
  Matrix<double> upper;
  std::vector<double> lower_noise;  ///< (1 − e_T)/e_T (Y/Λ + (1 − 1/Λ)h − κ) of the logged arm
  std::vector<double> upper_noise;
};

/// Sharp bounds under the marginal sensitivity model, extended to policies (Tan 2006, A
/// distributional approach for causal inference using propensity scores; Dorn and Guo 2023, Sharp
/// sensitivity analysis for inverse propensity weighting via quantile balancing; Dorn, Guo and
/// Kallus 2024, Doubly-valid/doubly-sharp sensitivity analysis for causal inference with unmeasured
/// confounding). t = Λ/(1+Λ), q the t-quantile of Y given x and a, h = q + (Y − q)₊/(1 − t), κ⁺ =
/// μ/Λ + (1 − 1/Λ) E[h | x, a]:
///
///   Γ⁺_a = 1{T=a} Y + 1{T≠a} κ⁺_a + 1{T=a} (1 − e_a)/e_a · (Y/Λ + (1 − 1/Λ)h − κ⁺_a)
///
/// and Γ⁻(Y) = −Γ⁺(−Y). Binary outcomes have a closed form. For all others
/// Y = μ_a + s_a·ε, with ε distributed as the residuals of the arm. Wrong quantiles widen the
/// bounds but keep them valid where e is right. With more than two arms the bounds are valid arm by
/// arm; whether they are sharp is not known.
class MarginalModel {
 public:
  /// `scale`: s_a(i), nodes × arms (residual_scale). The views must outlive the model.
  MarginalModel(const LoggedTables& tables, Matrix<double> scale);

  /// O(nodes · arms).
  MarginalScores score(double lambda) const;
  /// A contrast at these scores. O(nodes · arms).
  MarginalBounds bound(const MarginalScores& scores, const Contrast& contrast) const;
  /// At Λ = 1, where both bounds coincide.
  ContrastEstimate estimate(const Contrast& contrast) const;

  const LoggedTables& tables() const { return tables_; }
  /// Whether outcomes take two values, lower first.
  bool is_binary() const { return is_binary_; }

 private:
  struct Tail {
    double quantile = 0;  ///< of the standardised residuals
    double mean = 0;      ///< E[h] in the same unit
  };
  Tail tail_of(std::span<const double> sorted, double lambda) const;

  LoggedTables tables_;
  Matrix<double> scale_;
  bool is_binary_ = false;
  double low_ = 0;
  double high_ = 1;
  std::vector<std::vector<double>> residuals_;  ///< per arm, standardised, ascending
  std::vector<std::vector<double>> negated_;    ///< per arm, of −Y
  std::vector<double> spread_;                  ///< per arm, mean square of the standardised
};

/// s_a(i): the standard deviation of the residuals of arm a where the covariate is that of i. The
/// variance is constant + growth · covariate, neither part negative, fitted per arm to the squared
/// residuals. The covariate is the degree, or another one that the variance may grow with; not
/// negative.
Matrix<double> residual_scale(const LoggedTables& tables, std::span<const double> covariate);

/// `count` values from 1 to `largest`, equidistant in logarithms.
std::vector<double> lambda_grid(double largest, std::size_t count);

/// Bounds of every contrast at every Λ: contrasts × lambdas. Scores are made once per Λ.
std::vector<std::vector<MarginalBounds>> trace_bounds(const Context& context,
                                                      const MarginalModel& model,
                                                      std::span<const Contrast> contrasts,
                                                      std::span<const double> lambdas);

/// The smallest Λ at which the bound towards the threshold reaches it. None where it does not up to
/// the end of the curve; 1 where it does without any unmeasured confounding.
struct Breakdown {
  std::optional<double> lambda;
  std::optional<double>
      confident;  ///< of the bound less (plus) `z` standard errors, for the sample
};

/// An estimated bound need not be monotone in Λ: the smallest (largest) so far counts. The search
/// goes along the curve of the contrast, which starts at 1, then by bisection to 1e-5.
Breakdown find_breakdown(const Context& context, const MarginalModel& model,
                         const Contrast& contrast, std::span<const MarginalBounds> curve,
                         double threshold, double z);

// ---- omitted variables --------------------------------------------------------------------------

/// The scale S of the omitted-variable bias of a contrast, with α = δ_T/e_T (Chernozhukov, Cinelli,
/// Newey, Sharma and Syrgkanis 2022, Long story short: omitted variable bias in causal machine
/// learning):
/// |bias| ≤ |ρ| √(cf_y · cf_d/(1 − cf_d)) · S.
struct ConfoundingScale {
  double sigma2 = 0;  ///< mean r²
  double nu2 = 0;     ///< mean(2 Σ_a δ_a²/e_a − α²); mean α² where that is not above 0
  double total = 0;   ///< √(σ² ν²)
  /// Σ_a √(σ_a² ν_a²), σ_a² = mean 1{T=a} r², ν_a² = mean(2δ_a²/e_a − 1{T=a} δ_a²/e_a²): at most
  /// `total`, and valid where the strengths hold in each arm.
  double by_arm = 0;
  std::vector<double> sigma2_of_arm;
  std::vector<double> nu2_of_arm;
  std::vector<double> total_influence;  ///< of `total`, centred
  std::vector<double> by_arm_influence;
};
ConfoundingScale confounding_scale(const LoggedTables& tables, const Contrast& contrast);

/// |ρ| √(cf_y · cf_d/(1 − cf_d)) · S.
double bias_bound(double scale, double cf_y, double cf_d, double rho = 1);

/// The robustness value (Cinelli and Hazlett 2020, Making sense of sensitivity: extending omitted
/// variable bias): the strength cf_y = cf_d at which the bound with |ρ| = 1 is `gap`,
/// (−f² + √(f⁴ + 4f²))/2 with f = |gap|/S. 1 where S is 0 and the gap is not.
double robustness_value(double gap, double scale);

/// A quantity with its influence function.
struct WithInfluence {
  double value = 0;
  std::span<const double> influence;
  double further_variance = 0;  ///< that the influence does not contain
};

/// The standard error of estimate.value + multiple · scale.value, n − 1 in the variance.
double bound_error(const WithInfluence& estimate, const WithInfluence& scale, double multiple);

/// The robustness value of the bound less (plus, where the estimate is below the threshold) z
/// standard errors of that bound. 0 where the estimate is within z standard errors.
double confident_robustness_value(const WithInfluence& estimate, const WithInfluence& scale,
                                  double threshold, double z);

/// The bound nearer to the threshold, for strengths cf_y (rows) × cf_d.
Matrix<double> trace_contour(double estimate, double scale, double threshold,
                             std::span<const double> cf_y, std::span<const double> cf_d);

// ---- benchmarks: observed covariates, left out --------------------------------------------------

/// R²_T = 1 − Σ_a mean(1{T=a} − e_a)² / Σ_a m_a(1 − m_a), m_a the shares of the arms.
double treatment_r2(std::span<const Arm> arm, MatrixView<const double> e);
/// 1 − Σ r²/Σ (y − ȳ)².
double outcome_r2(const LoggedTables& tables);

/// The strength of an observed covariate as a confounder: from the nuisances with it (long) and
/// without it (short).
struct Benchmark {
  std::string name;
  double outcome_r2_long = 0;
  double outcome_r2_short = 0;
  double treatment_r2_long = 0;
  double treatment_r2_short = 0;
  /// Whether `long` predicts the treatment better by more than two standard errors. Where it does
  /// not, the strength on the treatment is unknown, and a narrow bound should not be trusted.
  bool treatment_gain_is_clear = false;
  double cf_y = 0;  ///< (R²_long − R²_short)/(1 − R²_long), within [0, 1]
  /// C_D² = cf_d/(1 − cf_d): the larger of the two below.
  double gain_d = 0;
  double nu2_gain = 0;  ///< ν²_long/ν²_short − 1 of this contrast, at least 0
  double converted_gain = 0;  ///< cf_T · mean Σ_a δ_a²(1−e_a)/e_a² / mean Σ_a δ_a²/e_a, e of short
  double cf_d = 0;
  double bias = 0;  ///< √(cf_y · C_D²) · S by arm of the long tables: of a confounder as strong
  double shift = 0;  ///< estimate with it less the estimate without it
};
Benchmark measure_benchmark(std::string name, const LoggedTables& with, const LoggedTables& without,
                            const Contrast& contrast);

// ---- the whole analysis -------------------------------------------------------------------------

struct SensitivityOptions {
  double lambda_max = 5;
  std::uint32_t lambdas = 25;
  double threshold = 0;
  DirectionOptions direction;
  double level = 0.95;
  Dependence dependence = Dependence::kLargest;
  int folds = 5;
  int selection_folds = 3;
  std::vector<std::string> benchmarks;
  NuisanceOptions nuisance;
  NetworkRidgeOptions network_ridge;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("lambda_max", self.lambda_max,
            "Largest odds ratio Lambda of the marginal sensitivity model", between(1.01, 1000));
    visitor("lambdas", self.lambdas,
            "Number of odds ratios on the recorded curve, besides round ones", between(2, 10000));
    visitor("threshold", self.threshold,
            "Null value that a difference (with --against none: a value) is compared with");
    DirectionOptions::visit(self.direction, visitor);
    visitor("level", self.level, "Confidence level of the intervals", strictly_between(0, 1));
    visitor("dependence", self.dependence,
            "Dependence between units assumed by standard errors; largest takes the largest usable "
            "error");
    visitor("folds", self.folds, "Number of cross-fitting folds", between(2, 1000));
    visitor("selection_folds", self.selection_folds,
            "Number of inner folds for choosing regularisation strengths", between(2, 1000));
    visitor("benchmarks", self.benchmarks,
            "What to leave out to measure its strength as a confounder: network, counts (all count "
            "features), names of columns, or none; by default network, counts, and the twelve most "
            "imbalanced columns");
    NuisanceOptions::visit(self.nuisance, visitor);
    NetworkRidgeOptions::visit(self.network_ridge, visitor);
  }
  void check(std::vector<Fault>& faults) const { network_ridge.check(faults); }
};

/// The sensitivity analysis of one policy's value, or of its difference from a reference.
struct PolicySensitivity {
  std::string policy;
  std::string against;     ///< name of the other policy; empty where there is none
  double ridge_value = 0;  ///< of network_dm, the estimator that cone evaluate recommends
  double value = 0;        ///< doubly robust: the bounds are around it
  double standard_error = 0;
  double population_standard_error = 0;  ///< for the population
  /// Standard errors for the sample, also those of the curve, are inflated by this factor for the
  /// dependence between units.
  double error_factor = 1;
  std::pair<double, double> sampling_interval;  ///< for the sample, without unmeasured confounding
  std::vector<MarginalBounds> curve;
  Breakdown breakdown;
  double scale = 0;         ///< S
  double scale_by_arm = 0;  ///< S by arm, used by the members below
  double sigma2 = 0;
  double nu2 = 0;
  double robustness = 0;
  double confident_robustness = 0;
  std::vector<double> contour_strengths;  ///< of rows (outcome) and columns (treatment)
  Matrix<double> contour;
  std::vector<Benchmark> benchmarks;
  std::string doubt;  ///< why the analysis is not reliable; empty where it is
};

struct SensitivityReport {
  double level = 0.95;
  double lambda_max = 5;
  double threshold = 0;
  std::size_t num_nodes = 0;
  std::size_t num_edges = 0;
  std::vector<std::string> arms;
  Reference reference = Reference::kLogged;
  std::string outcome;           ///< its column; empty where that is not known
  bool lower_is_better = false;  ///< else higher is better
  double observed_mean = 0;
  bool propensity_sees_network = false;
  std::vector<double> propensity_bounds;  ///< of every arm
  bool outcome_is_binary = false;
  double outcome_r2 = 0;
  double treatment_r2 = 0;
  std::vector<PolicySensitivity> policies;
  std::vector<std::string> warnings;
};

/// Fits outcomes by the network ridge and propensities by logistic regression on the features, or,
/// where that predicts the treatment clearly better, by a network ridge of the treatment; then all
/// of the above for every policy. A policy that assigns every unit its logged arm differs by 0 from
/// the logged policy; policies without sufficient overlap are named in the warnings. `against` only
/// with Reference::kPolicy. Throws what learners throw, and Error(kUsage) for benchmarks that are
/// not in the data. Collective where the context is shared by ranks: `part` then has this rank's
/// nodes, on which models are fitted, data and policies are those of all nodes, on the root, which
/// alone gets a report.
SensitivityReport analyse_sensitivity(const Context& context, const LoadedData& data,
                                      std::span<const PolicyOnData> policies, Reference reference,
                                      const PolicyOnData* against,
                                      const SensitivityOptions& options,
                                      const Dataset* part = nullptr);

/// Expected time of that, for this many policies. Throws Error(kUsage) as it does.
std::vector<ExpectedCost> expected_costs(const Context& context, const LoadedData& data,
                                         const SensitivityOptions& options,
                                         std::size_t num_policies);

}  // namespace cone
