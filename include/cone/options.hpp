#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"

/// \file
/// Options: the visitor (one line per option gives flag, JSON key, help, default and range), and
/// the options of plans, nuisances and estimators.

// One line per field, in a static `visit` of a plain struct, is the whole definition of an option:
//
//   struct FoldOptions {
//     int folds = 5;
//     template <class Self, class Visitor>
//     static void visit(Self& self, Visitor&& visitor) {
//       visitor("folds", self.folds, "Number of cross-fitting folds", at_least(2));
//     }
//   };
//
// From it come the flag (--folds), the JSON key ("folds"), the help text, the default (the member
// initialiser), the validation and the option's part of the run's identity.

namespace cone {

/// The values a numeric option may take.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  /// Never infinities or NaN.
  bool contains(double x) const {
    return std::isfinite(x) && (low_open ? x > low : x >= low) &&
           (high_open ? x < high : x <= high);
  }
  /// "at least 2", "between 0 and 1", "more than 0"
  std::string describe() const;
};

inline Range at_least(double low) { return {.low = low}; }
inline Range more_than(double low) { return {.low = low, .low_open = true}; }
inline Range between(double low, double high) { return {.low = low, .high = high}; }
inline Range strictly_between(double low, double high) {
  return {.low = low, .high = high, .low_open = true, .high_open = true};
}

/// Specialise with `static constexpr std::array kNames = {std::pair{E::kA, "a"}, ...}` (pairs of
/// value and std::string_view) to make an enum usable as an option.
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  EnumNames<E>::kNames;
};

template <NamedEnum E>
std::string_view enum_name(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::kNames) {
    if (candidate == value) return name;
  }
  return "?";
}

template <NamedEnum E>
std::vector<std::string> enum_choices() {
  std::vector<std::string> names;
  names.reserve(EnumNames<E>::kNames.size());
  for (const auto& entry : EnumNames<E>::kNames) names.emplace_back(entry.second);
  return names;
}

/// "weight_bound" → "--weight-bound".
std::string flag_name(std::string_view option_name);

/// The value as one canonical piece of text: round-trips numbers, joins lists with commas.
inline std::string option_text(bool value) { return value ? "true" : "false"; }
inline std::string option_text(const std::string& value) { return value; }
std::string option_text(const std::vector<std::string>& values);
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) std::string option_text(T value) {
  return fmt::format("{}", value);
}
template <NamedEnum E>
std::string option_text(E value) {
  return std::string(enum_name(value));
}

/// A number that is chosen from the data by default. In text and in JSON it is then this word.
using AutoNumber = std::optional<double>;
inline constexpr std::string_view kAutomatic = "auto";
inline std::string option_text(const AutoNumber& value) {
  return value ? option_text(*value) : std::string(kAutomatic);
}

/// A statement that users may make, deny (--no-...) or leave open. In JSON null is open.
using Declaration = std::optional<bool>;
inline constexpr std::string_view kUndeclared = "undeclared";
inline std::string option_text(const Declaration& value) {
  return value ? option_text(*value) : std::string(kUndeclared);
}

/// Whether an option has a value that its range allows. Ranges are of numbers.
template <class T>
bool is_within(const Range& range, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) return range.contains(static_cast<double>(value));
  if constexpr (std::same_as<T, AutoNumber>) return !value || range.contains(*value);
  return true;
}

/// Every violated range, as faults that name the flag. Structs with rules across fields add them in
/// `void check(std::vector<Fault>&) const`.
template <class Options>
std::vector<Fault> option_faults(const Options& options) {
  std::vector<Fault> faults;
  Options::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                       const Range& range = {}) {
    if (!is_within(range, value)) {
      Fault& fault = faults.emplace_back();
      fault.place.item = flag_name(name);
      fault.what = fmt::format("is {}, must be {}", option_text(value), range.describe());
    }
  });
  if constexpr (requires { options.check(faults); }) options.check(faults);
  return faults;
}

/// Throws Error(kUsage) listing every violation.
template <class Options>
void validate(const Options& options) {
  std::vector<Fault> faults = option_faults(options);
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

/// "name=value" lines in declaration order: what a run's identity hashes.
template <class Options>
std::string canonical_text(const Options& options) {
  std::string text;
  Options::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                       const Range& = {}) {
    text += fmt::format("{}={}\n", name, option_text(value));
  });
  return text;
}

inline bool parse_option(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

template <class T>
requires(std::is_arithmetic_v<T> &&
         !std::is_same_v<T, bool>) bool parse_option(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

inline bool parse_option(std::string_view text, AutoNumber& value) {
  value.reset();
  return text == kAutomatic || parse_option(text, value.emplace());
}

inline bool parse_option(std::string_view text, Declaration& value) {
  value.reset();
  return text == kUndeclared || parse_option(text, value.emplace());
}

template <NamedEnum E>
bool parse_option(std::string_view text, E& value) {
  for (const auto& [candidate, name] : EnumNames<E>::kNames) {
    if (name != text) continue;
    value = candidate;
    return true;
  }
  return false;
}

inline bool parse_option(std::string_view text, std::vector<std::string>& value) {
  value.clear();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    value.emplace_back(text.substr(0, comma));
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  return true;
}

/// The inverse of canonical_text: nothing where the text is not the canonical text of some options.
/// Ranges are not checked.
template <class Options>
std::optional<Options> parse_canonical_text(std::string_view text) {
  Options options;
  bool is_good = true;
  std::string_view rest = text;
  Options::visit(
      options, [&]<class T>(std::string_view name, T& value, std::string_view, const Range& = {}) {
        const std::size_t line_end = rest.find('\n');
        if (!is_good || line_end == rest.npos) {
          is_good = false;
          return;
        }
        const std::string_view line = rest.substr(0, line_end);
        rest.remove_prefix(line_end + 1);
        is_good = line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=' &&
                  parse_option(line.substr(name.size() + 1), value);
      });
  if (!is_good || canonical_text(options) != text) return std::nullopt;
  return options;
}

/// Whether the user set the option of this name ("train_fraction"), whatever the front end.
using IsGiven = std::function<bool(std::string_view name)>;

/// Options that were set but have no effect in a run: all refused together instead of ignored.
class IdleOptions {
 public:
  explicit IdleOptions(const IsGiven& is_given) : is_given_(is_given) {}

  void refuse(std::string_view name, const std::string& what, const std::string& advice) {
    if (is_given_(name)) faults_.push_back({{.item = flag_name(name)}, what, advice});
  }
  /// Every option of a struct.
  template <class Options>
  void refuse_all(const std::string& what, const std::string& advice) {
    const Options options;
    Options::visit(options, [&](std::string_view name, const auto&, std::string_view,
                                const Range& = {}) { refuse(name, what, advice); });
  }
  /// Throws Error(kUsage).
  void throw_if_any() {
    if (!faults_.empty()) throw Error(ErrorCode::kUsage, std::move(faults_));
  }

 private:
  const IsGiven& is_given_;
  std::vector<Fault> faults_;
};

/// The direction in which outcomes count as better. Values, gains and intervals keep the scale and
/// the sign of the outcome in both: only what is called better, ranks and optimisation differ.
struct DirectionOptions {
  Declaration lower_is_better;  ///< undeclared: higher is better

  bool prefers_lower() const { return lower_is_better.value_or(false); }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("lower_is_better", self.lower_is_better,
            "Lower outcomes are better (deaths, churn, days ill): for ranks, the best policy, "
            "learnt rules and budgets. Values and gains keep the scale and the sign of the "
            "outcome, and costs are added to it. By default higher is better");
  }
};

/// Sign · value is larger for the better of two values, and lower by what a policy costs.
inline double direction_sign(bool lower_is_better) { return lower_is_better ? -1 : 1; }

/// Shares of the nodes; the rest is the test part.
struct SplitOptions {
  double train_fraction = 0.6;
  double validation_fraction = 0.2;
  bool stratified = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("train_fraction", self.train_fraction, "Share of the nodes for training",
            strictly_between(0, 1));
    visitor("validation_fraction", self.validation_fraction, "Share of the nodes for validation",
            strictly_between(0, 1));
    visitor("stratified", self.stratified, "Stratify the split by arm");
  }
  void check(std::vector<Fault>& faults) const;
};

/// Which nodes fit and which are scored.
enum class Protocol {
  kCrossFit,  ///< every node is scored, by models that saw neither its outcome nor its treatment
  kSplit,     ///< the paper's: fit on train, choose on validation, estimate on test
};

template <>
struct EnumNames<Protocol> {
  static constexpr std::array<std::pair<Protocol, std::string_view>, 2> kNames = {
      {{Protocol::kCrossFit, "cross_fit"}, {Protocol::kSplit, "split"}}};
};

struct PlanOptions {
  Protocol protocol = Protocol::kCrossFit;
  int folds = 5;
  int selection_folds = 3;
  SplitOptions split;

  /// Number of models that score the nodes, each its own part of them.
  std::uint32_t num_tasks() const {
    return protocol == Protocol::kSplit ? 1 : static_cast<std::uint32_t>(folds);
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("protocol", self.protocol,
            "Estimate on all nodes by cross-fitting, or on held-out test nodes");
    visitor("folds", self.folds, "Number of cross-fitting folds", between(2, 1000));
    visitor("selection_folds", self.selection_folds,
            "Number of inner folds for choosing regularisation strengths", between(2, 1000));
    SplitOptions::visit(self.split, visitor);
  }
  void check(std::vector<Fault>& faults) const { split.check(faults); }
};

/// The unit of the bandwidth.
enum class BandwidthUnit {
  kMedian,    ///< the median distance between nodes whose features differ
  kAbsolute,  ///< the features' own unit
};

template <>
struct EnumNames<BandwidthUnit> {
  static constexpr std::array<std::pair<BandwidthUnit, std::string_view>, 2> kNames = {
      {{BandwidthUnit::kMedian, "median"}, {BandwidthUnit::kAbsolute, "absolute"}}};
};

struct KernelBalancingOptions {
  double kernel_bandwidth = 1;
  BandwidthUnit kernel_unit = BandwidthUnit::kMedian;
  double kernel_lambda = 0;
  bool kernel_normalised = true;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("kernel_bandwidth", self.kernel_bandwidth,
            "Bandwidth h of the kernel exp(-d^2 / 2h^2), in units of --kernel-unit",
            between(1e-9, 1e9));
    visitor(
        "kernel_unit", self.kernel_unit,
        "Unit of the bandwidth: the median distance between nodes, or the unit of the features");
    visitor("kernel_lambda", self.kernel_lambda,
            "Penalty on the squared weights of kernel balancing; 0: chosen by leave-one-out error",
            between(0, 1e9));
    visitor("kernel_normalised", self.kernel_normalised,
            "Constrain weights of kernel balancing to be non-negative with mean 1");
  }
};

/// How residuals correct the direct method (docs/method.md, section 4).
enum class Correction {
  kSelfNormalised,  ///< Σ w r / Σ w, as in SNIPS; the default
  kLiteral,         ///< as the paper prints it: divides by n twice, so nearly no correction
  kPlain,           ///< mean of w r: classic doubly robust
};

template <>
struct EnumNames<Correction> {
  static constexpr std::array<std::pair<Correction, std::string_view>, 3> kNames = {
      {{Correction::kSelfNormalised, "self_normalised"},
       {Correction::kLiteral, "literal"},
       {Correction::kPlain, "plain"}}};
};

/// The estimand of an interval.
enum class Target {
  kSample,      ///< finite population: the units in the data, with their potential outcomes
  kPopulation,  ///< the superpopulation that the units were drawn from
};

template <>
struct EnumNames<Target> {
  static constexpr std::array kNames = {
      std::pair{Target::kSample, std::string_view("sample")},
      std::pair{Target::kPopulation, std::string_view("population")}};
};

/// The assumed dependence between the errors of nodes.
enum class Dependence {
  kLargest,           ///< the largest error of those below that are usable
  kIndependent,       ///< none
  kNeighbours,        ///< between neighbours, by products of their residuals
  kCommonNeighbours,  ///< also between units with common neighbours, which keeps the variance
                      ///< non-negative
  kClusters,          ///< within clusters, given or detected communities
  kPooled,            ///< one correlation for all neighbours, estimated from the residuals
};

template <>
struct EnumNames<Dependence> {
  static constexpr std::array kNames = {
      std::pair{Dependence::kLargest, std::string_view("largest")},
      std::pair{Dependence::kIndependent, std::string_view("independent")},
      std::pair{Dependence::kNeighbours, std::string_view("neighbours")},
      std::pair{Dependence::kCommonNeighbours, std::string_view("common_neighbours")},
      std::pair{Dependence::kClusters, std::string_view("clusters")},
      std::pair{Dependence::kPooled, std::string_view("pooled")}};
};

/// The assumed correlation of a unit's errors across arms, which is not identified.
enum class ArmNoise {
  kIndependent,
  kShared,     ///< the same under every arm
  kWorstCase,  ///< the correlation with the widest interval
};

template <>
struct EnumNames<ArmNoise> {
  static constexpr std::array kNames = {
      std::pair{ArmNoise::kIndependent, std::string_view("independent")},
      std::pair{ArmNoise::kShared, std::string_view("shared")},
      std::pair{ArmNoise::kWorstCase, std::string_view("worst_case")}};
};

struct EstimatorOptions {
  Correction correction = Correction::kSelfNormalised;
  AutoNumber clip;              ///< auto: limit_of_weights
  AutoNumber switch_threshold;  ///< auto: limit_of_weights
  double shrinkage_lambda = 100;
  double level = 0.95;
  Target target = Target::kPopulation;
  Dependence dependence = Dependence::kLargest;
  ArmNoise arm_noise = ArmNoise::kIndependent;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("correction", self.correction, "Correction of doubly robust estimates by residuals");
    visitor("clip", self.clip,
            "Largest weight of ips_clipped; auto is 5 times the number of arms, 10 for two",
            more_than(0));
    visitor("switch_threshold", self.switch_threshold,
            "switch_dr uses the direct method where weights are above this; auto is 5 times the "
            "number of arms, 10 for two",
            more_than(0));
    visitor(
        "shrinkage_lambda", self.shrinkage_lambda,
        "Shrinkage of the weights of dr_shrinkage, from the direct method (0) to plain dr (large)",
        at_least(0));
    visitor("level", self.level, "Confidence level of the intervals", strictly_between(0, 1));
    visitor(
        "target", self.target,
        "Estimand of the intervals: the units in the data (sample), or the superpopulation they "
        "were drawn from (population)");
    visitor("dependence", self.dependence,
            "Dependence between units assumed by standard errors; largest takes the largest usable "
            "error");
    visitor("arm_noise", self.arm_noise,
            "Assumed correlation of a unit's errors across arms, for --target sample; worst_case "
            "makes no assumption");
  }
};

/// Scaling of the features for ridge and logistic regression, whose penalty depends on their units.
enum class FeatureScaling {
  kNone,
  kUnitVariance,  ///< divide by the standard deviation over all nodes; zeros stay zeros
};

template <>
struct EnumNames<FeatureScaling> {
  static constexpr std::array kNames = {
      std::pair{FeatureScaling::kNone, std::string_view("none")},
      std::pair{FeatureScaling::kUnitVariance, std::string_view("unit_variance")}};
};

struct NuisanceOptions {
  AutoNumber propensity_bound;  ///< auto: choose_propensity_bounds
  FeatureScaling feature_scaling = FeatureScaling::kUnitVariance;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(
        "propensity_bound", self.propensity_bound,
        "Clip estimated propensities to [bound, 1 - bound]; auto is 0.01, or a tenth of an arm's "
        "share where that is less",
        between(0, 0.5));
    visitor("feature_scaling", self.feature_scaling,
            "Scaling of the features before ridge and logistic regression");
  }
};

/// The nodes that the network ridge's variances are learnt from.
enum class VarianceFits {
  kOnce,     ///< per arm, on all nodes that any fold may learn from
  kPerFold,  ///< per arm and fold, on the nodes of that fold only
};

template <>
struct EnumNames<VarianceFits> {
  static constexpr std::array kNames = {
      std::pair{VarianceFits::kOnce, std::string_view("once")},
      std::pair{VarianceFits::kPerFold, std::string_view("per_fold")}};
};

/// The criterion for the network ridge's variances.
enum class RidgeCriterion {
  kLikelihood,       ///< restricted maximum likelihood, one variance per group
  kCrossValidation,  ///< one penalty for all groups, by the error on held-out nodes
};

template <>
struct EnumNames<RidgeCriterion> {
  static constexpr std::array kNames = {
      std::pair{RidgeCriterion::kLikelihood, std::string_view("likelihood")},
      std::pair{RidgeCriterion::kCrossValidation, std::string_view("cross_validation")}};
};

/// How the noise of the outcomes varies between nodes.
enum class RidgeNoise {
  kDegree,    ///< may grow with the degree, as estimated
  kConstant,  ///< the same for all nodes
};

template <>
struct EnumNames<RidgeNoise> {
  static constexpr std::array kNames = {
      std::pair{RidgeNoise::kDegree, std::string_view("degree")},
      std::pair{RidgeNoise::kConstant, std::string_view("constant")}};
};

/// How the network ridge's equations are solved.
enum class RidgeSolverChoice {
  kAuto,       ///< by features where no group uses neighbours, else by the size of the largest arm
  kDense,      ///< Cholesky factors: exact, memory grows with the square of an arm
  kIterative,  ///< conjugate gradients: memory grows with nodes and edges
};

template <>
struct EnumNames<RidgeSolverChoice> {
  static constexpr std::array kNames = {
      std::pair{RidgeSolverChoice::kAuto, std::string_view("auto")},
      std::pair{RidgeSolverChoice::kDense, std::string_view("dense")},
      std::pair{RidgeSolverChoice::kIterative, std::string_view("iterative")}};
};

/// The network ridge (docs/network_ridge.md).
struct NetworkRidgeOptions {
  std::vector<std::string> ridge_groups;  ///< empty: all of them
  double undersmoothing = 0.1;
  RidgeNoise ridge_noise = RidgeNoise::kDegree;
  VarianceFits ridge_variances = VarianceFits::kOnce;
  RidgeCriterion ridge_criterion = RidgeCriterion::kLikelihood;
  RidgeSolverChoice ridge_solver = RidgeSolverChoice::kAuto;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("ridge_groups", self.ridge_groups,
            "Groups of effects in the network ridge, of own, smooth, curves, exponential "
            "(with own), neighbour_sums, neighbour_effects, neighbour_means, "
            "mean_neighbour_effects, communities; "
            "by default all of them");
    visitor("undersmoothing", self.undersmoothing,
            "Multiplies the noise variance when solving; values below 1 undersmooth: less "
            "confounding bias for more variance",
            between(1e-4, 1));
    visitor("ridge_noise", self.ridge_noise,
            "Noise variance of the network ridge: growing with the degree if the data shows it, or "
            "constant");
    visitor("ridge_variances", self.ridge_variances,
            "Learn the variances of the network ridge once per arm, or per arm and fold");
    visitor("ridge_criterion", self.ridge_criterion,
            "Choose the variances by restricted maximum likelihood (REML), or one penalty for all "
            "groups by cross-validation");
    visitor("ridge_solver", self.ridge_solver,
            "Solver: dense Cholesky factors, conjugate gradients, or by the size (auto)");
  }
  void check(std::vector<Fault>& faults) const;
};

/// How a node's representation aggregates its neighbours (nn/aggregation_layer.hpp). A new one is a
/// layer in src/nn, its name here, and a row in make_aggregation (cone_networks/tower_encoder.cpp).
enum class EncoderKind {
  kAttention,  ///< learnt weights, one per head and pair of neighbours (Veličković et al. 2018,
               ///< Graph attention networks)
  kMean,       ///< half the node itself, half the mean of its neighbours
};

template <>
struct EnumNames<EncoderKind> {
  static constexpr std::array kNames = {
      std::pair{EncoderKind::kAttention, std::string_view("attention")},
      std::pair{EncoderKind::kMean, std::string_view("mean")}};
};

/// Options of CONE's networks, which learn partial representations (Guo, Li and Liu 2020,
/// Counterfactual evaluation of treatment assignment functions with networked observational data).
/// One set of options serves both towers.
struct ConeOptions {
  EncoderKind encoder = EncoderKind::kAttention;
  std::uint32_t heads = 4;
  std::uint32_t head_size = 16;
  std::uint32_t layers = 1;
  std::uint32_t hidden = 64;
  bool self_loops = true;
  double gamma = 1;
  double zeta = 0.01;
  double learning_rate = 0.005;
  double weight_decay = 0;
  double clip_gradient = 0;
  double dropout = 0;
  std::uint32_t epochs = 200;
  std::uint32_t patience = 30;

  // The upper bounds of the sizes are generous; they keep the size of a model file's tensors within
  // 64 bits whatever it claims.
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("encoder", self.encoder,
            "Aggregation of neighbours in an encoder (tower): attention (learnt weights), or mean "
            "(half the node itself, half the mean of its neighbours)");
    visitor("heads", self.heads, "Number of attention heads of each tower", between(1, 256));
    visitor("head_size", self.head_size,
            "Output dimensions per head; a tower of the mean encoder has heads x head_size",
            between(1, 1024));
    visitor("layers", self.layers, "Number of graph layers of each tower", between(1, 8));
    visitor("hidden", self.hidden,
            "Hidden units of the outcome head, the critic and the outcome network of each arm",
            between(1, 4096));
    visitor("self_loops", self.self_loops, "Include the node itself among its neighbours");
    visitor("gamma", self.gamma, "Weight of the treatment loss; the outcome loss has weight 1",
            at_least(0));
    visitor("zeta", self.zeta,
            "Weight of the mutual information between the two representations, which is maximised",
            at_least(0));
    visitor("learning_rate", self.learning_rate, "Learning rate of Adam", more_than(0));
    visitor("weight_decay", self.weight_decay,
            "Weight decay, decoupled as in AdamW; biases do not decay", at_least(0));
    visitor("clip_gradient", self.clip_gradient, "Clip the gradient norm to this value (0 = off)",
            at_least(0));
    visitor("dropout", self.dropout, "Dropout rate of the inputs of each graph layer",
            between(0, 0.95));
    visitor("epochs", self.epochs, "Maximum number of epochs, one step of Adam each", at_least(1));
    visitor("patience", self.patience,
            "Early stopping after this many epochs without a better validation loss", at_least(1));
  }
};

/// How a training ended. In every case the best weights so far are restored.
enum class TrainingStatus {
  kCompleted,     ///< all epochs ran
  kStoppedEarly,  ///< the held-out loss had not improved for `patience` epochs
  kDiverged,      ///< losses or weights are not finite or far too large
};

template <>
struct EnumNames<TrainingStatus> {
  static constexpr std::array kNames = {
      std::pair{TrainingStatus::kCompleted, std::string_view("completed")},
      std::pair{TrainingStatus::kStoppedEarly, std::string_view("stopped_early")},
      std::pair{TrainingStatus::kDiverged, std::string_view("diverged")}};
};

}  // namespace cone
