#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cone/error.hpp"
#include "cone/sensitivity.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "data/collective_error.hpp"
#include "data/outcome_direction.hpp"
#include "estimate/significance.hpp"
#include "sensitivity/contrast_doubts.hpp"
#include "sensitivity/error_inflation.hpp"
#include "sensitivity/feature_groups.hpp"
#include "sensitivity/fit_tables.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostColumns = 12;
constexpr const char* kNetworkName = "network";
/// Strengths of the contour, of outcome and treatment.
constexpr std::array kContourStrengths = {0.0,  0.01, 0.02, 0.05, 0.1, 0.15, 0.2,
                                          0.25, 0.3,  0.4,  0.5,  0.6, 0.7,  0.8};

/// The grid of the options and the round values that a table shows.
std::vector<double> curve_lambdas(const SensitivityOptions& options) {
  std::vector<double> out = lambda_grid(options.lambda_max, options.lambdas);
  for (const double round : {1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 10.0}) {
    if (round < options.lambda_max) out.push_back(round);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// What to leave out: the network first if there are edges, then features.
struct BenchmarkPlan {
  bool network = false;
  std::vector<FeatureGroup> groups;
};

void keep_most_imbalanced(std::vector<FeatureGroup>& groups) {
  std::vector<double> sizes;
  for (const FeatureGroup& group : groups) {
    if (group.imbalance > 0) sizes.push_back(group.imbalance);
  }
  if (sizes.size() <= kMostColumns) return;
  std::nth_element(sizes.begin(), sizes.begin() + kMostColumns - 1, sizes.end(), std::greater<>());
  const double least = sizes[kMostColumns - 1];
  std::size_t kept = 0;
  std::erase_if(groups, [&](const FeatureGroup& group) {
    const bool is_column = group.name != "counts";
    return is_column && (group.imbalance < least || ++kept > kMostColumns);
  });
}

BenchmarkPlan plan_benchmarks(const LoadedData& data, const std::vector<std::string>& asked) {
  BenchmarkPlan plan;
  const bool has_network = data.observed.graph.num_edges() > 0;
  std::vector<FeatureGroup> groups = list_feature_groups(data);
  if (asked.empty()) {
    plan.network = has_network;
    keep_most_imbalanced(groups);
    plan.groups = std::move(groups);
    return plan;
  }
  if (asked.size() == 1 && asked.front() == "none") return plan;
  std::vector<std::string> names;
  if (has_network) names.emplace_back(kNetworkName);
  for (const FeatureGroup& group : groups) names.push_back(group.name);
  std::vector<Fault> faults;
  for (const std::string& name : asked) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const FeatureGroup& group) { return group.name == name; });
    if (found != groups.end()) {
      plan.groups.push_back(*found);
    } else if (name == kNetworkName && has_network) {
      plan.network = true;
    } else {
      const std::string nearest = closest_name(name, names);
      faults.push_back({{.item = "--benchmarks"},
                        fmt::format("the data has no {} that can be left out", printable(name)),
                        nearest.empty()
                            ? "name columns that vary, counts, none, or network if there are edges"
                            : fmt::format("did you mean {}?", printable(nearest))});
    }
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
  return plan;
}

void require_log(const Dataset& data) {
  if (!data.has_log()) {
    throw Error(ErrorCode::kData,
                {{},
                 "the data is a network without treatments and outcomes",
                 "add treatments and outcomes, or simulate them with cone simulate"});
  }
  if (!(variance(data.outcome, 0) > 0)) {
    throw Error(ErrorCode::kData, {{.item = "outcome"},
                                   "is constant: there is no variation to analyse",
                                   "check the column, or choose another outcome"});
  }
}

/// Seconds on one core, per node, arm, Λ and policy: bounds of the marginal sensitivity model.
constexpr double kPerBound = 2e-7;

/// The stages of an analysis: fits with all covariates, fits without each benchmark, the bounds.
std::vector<ExpectedCost> list_stages(const Context& context, const Dataset& data,
                                      const BenchmarkPlan& benchmarks,
                                      const SensitivityOptions& options, std::size_t num_policies) {
  const FitSize size = measure_size(
      context, data, {.folds = options.folds, .selection_folds = options.selection_folds});
  const bool has_network = data.num_edges() > 0;
  const auto tables = [&](const FitSize& of, PropensityModel propensity, bool keeps) {
    return total_seconds(expected_table_costs(of, propensity, options, keeps));
  };
  // Whether the costlier treatment model with the network is used is known only after the fits.
  const auto without = [&](const FitSize& of) {
    const double by_features = tables(of, PropensityModel::kFeatures, /*keeps=*/true);
    return has_network ? (by_features + tables(of, PropensityModel::kNetwork, /*keeps=*/true)) / 2
                       : by_features;
  };
  std::vector<ExpectedCost> out = {
      {"all covariates", tables(size, PropensityModel::kFeatures, /*keeps=*/false)}};
  if (has_network) {
    out.push_back({"treatment model with the network",
                   propensity_seconds(size, PropensityModel::kNetwork, options)});
  }
  if (benchmarks.network) {
    out.push_back({fmt::format("without {}", kNetworkName), without(size.without_network())});
  }
  for (const FeatureGroup& group : benchmarks.groups) {
    out.push_back({fmt::format("without {}", printable(group.name, 30)), without(size)});
  }
  out.push_back({"bounds", kPerBound * size.nodes * size.arms *
                               static_cast<double>(num_policies * curve_lambdas(options).size()) /
                               size.threads});
  return out;
}

/// The benchmarks that the root finds in the data, on all ranks.
BenchmarkPlan share_benchmarks(const Communicator& comm, const LoadedData& data,
                               const SensitivityOptions& options) {
  const std::optional<BenchmarkPlan> found = run_on_root(comm, [&] {
    require_log(data.observed);
    return plan_benchmarks(data, options.benchmarks);
  });
  if (!comm.has_others()) return *found;
  nlohmann::json groups = nlohmann::json::array();
  if (found) {
    for (const FeatureGroup& group : found->groups) groups.push_back({group.name, group.columns});
  }
  BenchmarkPlan out{.network = comm.any(found && found->network)};
  const std::string of_root = comm.allgather(groups.dump()).front();
  for (const auto& group : nlohmann::json::parse(of_root)) {
    out.groups.push_back({.name = group[0], .columns = group[1]});
  }
  return out;
}

/// A benchmark: what is left out, and the nuisances without it.
struct LeftOut {
  std::string name;
  FittedTables tables;
};

/// Every model of an analysis. Tables are of all nodes, on the root.
struct FittedModels {
  FittedTables with_all;
  PropensityModel propensity = PropensityModel::kFeatures;
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;
};

LoggedTables join_tables(const Dataset& data, const FittedTables& fitted) {
  return {data.treatment, data.outcome, fitted.mu.view(), fitted.e.view()};
}

/// Fits the models to `part`, the own nodes of `data`. Collective.
FittedModels fit_models(const Context& context, const Dataset& data, const Dataset& part,
                        const BenchmarkPlan& benchmarks, const StageList& stages,
                        const SensitivityOptions& options) {
  const FitPlan plan =
      make_plan(context, part, {.folds = options.folds, .selection_folds = options.selection_folds},
                context.seed());
  FittedModels out;
  std::size_t next_stage = 0;
  {
    const StageScope stage = stages.enter(next_stage++);
    out.with_all = fit_tables(context, part, plan, PropensityModel::kFeatures, options);
  }
  out.warnings = out.with_all.warnings;
  if (part.num_edges() > 0) {  // the treatment model has the network where that clearly helps
    const StageScope stage = stages.enter(next_stage++);
    PropensityTable network =
        fit_propensity(context, part, plan, PropensityModel::kNetwork, options);
    bool is_clear = false;
    if (context.comm().is_root()) {
      LoggedTables with = join_tables(data, out.with_all);
      with.e = network.e.view();
      is_clear = measure_benchmark(kNetworkName, with, join_tables(data, out.with_all),
                                   {.policy = out.with_all.e.view()})
                     .treatment_gain_is_clear;
    }
    if (context.comm().any(is_clear)) {
      out.propensity = PropensityModel::kNetwork;
      out.with_all.e = std::move(network.e);
      out.warnings.insert(out.warnings.end(), network.warnings.begin(), network.warnings.end());
    }
  }
  const auto fit_without = [&](const std::string& name, const Dataset& rest) {
    const StageScope stage = stages.enter(next_stage++);
    try {
      out.left_out.push_back(
          {name, fit_tables(context, rest, plan, out.propensity, options, &out.with_all)});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kData) throw;
      out.warnings.push_back(fmt::format("benchmark {} failed: {}", printable(name), error.what()));
    }
  };
  if (benchmarks.network) fit_without(kNetworkName, leave_out_network(part));
  for (const FeatureGroup& group : benchmarks.groups) {
    fit_without(group.name, leave_out(part, group));
  }
  return out;
}

/// Results from the models, for all policies at once.
class Analysis {
 public:
  Analysis(const Context& context, const LoadedData& data, const SensitivityOptions& options,
           const FittedModels& models)
      : context_(context), data_(data), options_(options), models_(models), long_(models.with_all) {
    std::vector<double> degree;
    for (std::size_t i = 0; i < data.observed.num_nodes(); ++i) {
      degree.push_back(static_cast<double>(data.observed.graph.degree(static_cast<NodeIndex>(i))));
    }
    model_ = std::make_unique<MarginalModel>(tables(long_), residual_scale(tables(long_), degree));
    inflation_ =
        std::make_unique<ErrorInflation>(context, data.observed, tables(long_), options.dependence);
  }

  void describe(SensitivityReport& report) const {
    const Dataset& observed = data_.observed;
    report.level = options_.level;
    report.lambda_max = options_.lambda_max;
    report.threshold = options_.threshold;
    report.outcome = outcome_column(data_);
    report.lower_is_better = options_.direction.prefers_lower();
    report.num_nodes = observed.num_nodes();
    report.num_edges = observed.graph.num_edges();
    report.arms = observed.arms;
    report.propensity_sees_network = models_.propensity == PropensityModel::kNetwork;
    report.outcome_is_binary = model_->is_binary();
    report.outcome_r2 = outcome_r2(tables(long_));
    report.treatment_r2 = treatment_r2(observed.treatment, long_.e.view());
    report.warnings = models_.warnings;
    if (report.treatment_r2 <= 0) {
      report.warnings.push_back(
          "the propensity model predicts the treatment no better than the shares of the arms: "
          "either treatment was randomised, or its determinants are unmeasured; then the bounds of "
          "the omitted-variable bias are too narrow");
    }
  }

  PolicySensitivity analyse(const Contrast& contrast, std::vector<MarginalBounds> curve) const {
    PolicySensitivity out;
    const ContrastEstimate estimate = model_->estimate(contrast);
    // One factor for all errors of a contrast: the correlation of neighbours' errors does not
    // depend on unmeasured confounding.
    const InflatedError error = inflation_->measure(context_, contrast, estimate, Target::kSample);
    out.error_factor = error.factor;
    const double population_factor =
        inflation_->measure(context_, contrast, estimate, Target::kPopulation).factor;
    const double z = error.factor * two_sided_t_quantile(options_.level, error.degrees_of_freedom);
    out.ridge_value = direct_value(contrast);
    out.value = estimate.value;
    out.standard_error = out.error_factor * estimate.standard_error;
    out.population_standard_error = population_factor * estimate.population_standard_error;
    out.sampling_interval = {out.value - z * estimate.standard_error,
                             out.value + z * estimate.standard_error};
    out.breakdown = find_breakdown(context_, *model_, contrast, curve, options_.threshold, z);
    out.curve = std::move(curve);
    for (MarginalBounds& at : out.curve) {
      for (BoundEnd* end : {&at.lower, &at.upper}) {
        end->standard_error *= out.error_factor;
        end->population_standard_error *= population_factor;
      }
    }
    const ConfoundingScale scale = confounding_scale(tables(long_), contrast);
    out.scale = scale.total;
    out.scale_by_arm = scale.by_arm;
    out.sigma2 = scale.sigma2;
    out.nu2 = scale.nu2;
    out.robustness = robustness_value(out.value - options_.threshold, scale.by_arm);
    out.confident_robustness =
        confident_robustness_value({estimate.value, estimate.influence, estimate.unlogged_variance},
                                   {scale.by_arm, scale.by_arm_influence}, options_.threshold, z);
    out.contour_strengths.assign(kContourStrengths.begin(), kContourStrengths.end());
    out.contour = trace_contour(out.value, scale.by_arm, options_.threshold, out.contour_strengths,
                                out.contour_strengths);
    for (const LeftOut& part : models_.left_out) {
      out.benchmarks.push_back(
          measure_benchmark(part.name, tables(long_), tables(part.tables), contrast));
    }
    return out;
  }

  const MarginalModel& model() const { return *model_; }
  MatrixView<const double> propensity() const { return long_.e.view(); }

 private:
  LoggedTables tables(const FittedTables& fitted) const {
    return join_tables(data_.observed, fitted);
  }

  double direct_value(const Contrast& contrast) const {
    CompensatedSum total;
    for (std::size_t i = 0; i < long_.mu.rows(); ++i) {
      for (std::size_t a = 0; a < long_.mu.cols(); ++a) {
        total.add(contrast.weight(i, a) * long_.mu(i, a));
      }
      if (contrast.reference == Reference::kLogged) {
        total.add(-contrast.units_at(i) * data_.observed.outcome[i]);
      }
    }
    return total.value() / static_cast<double>(long_.mu.rows());
  }

  const Context& context_;
  const LoadedData& data_;
  const SensitivityOptions& options_;
  const FittedModels& models_;
  const FittedTables& long_;
  std::unique_ptr<MarginalModel> model_;
  std::unique_ptr<ErrorInflation> inflation_;
};

}  // namespace

std::vector<ExpectedCost> expected_costs(const Context& context, const LoadedData& data,
                                         const SensitivityOptions& options,
                                         std::size_t num_policies) {
  require_log(data.observed);
  return list_stages(context, data.observed, plan_benchmarks(data, options.benchmarks), options,
                     num_policies);
}

SensitivityReport analyse_sensitivity(const Context& context, const LoadedData& data,
                                      std::span<const PolicyOnData> policies, Reference reference,
                                      const PolicyOnData* against,
                                      const SensitivityOptions& options, const Dataset* part) {
  validate(options);
  require(!context.comm().is_root() || (reference == Reference::kPolicy) == (against != nullptr),
          "sensitivity: Reference::kPolicy needs another policy");
  const BenchmarkPlan benchmarks = share_benchmarks(context.comm(), data, options);
  const Dataset& own = part != nullptr ? *part : data.observed;
  const StageList stages(context, list_stages(context, own, benchmarks, options, policies.size()));
  const FittedModels models = fit_models(context, data.observed, own, benchmarks, stages, options);
  SensitivityReport report;
  if (!context.comm().is_root()) return report;
  std::vector<NodeIndex> nodes(data.observed.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  const LoggedSample sample = take_sample(data.observed, nodes);
  const auto weigh = [&](const PolicyOnData& policy) {
    Matrix<double> table = policy.probability;
    weigh_rows(sample, table);
    return table;
  };
  const Matrix<double> other = against != nullptr ? weigh(*against) : Matrix<double>();
  std::vector<Matrix<double>> tables;
  for (const PolicyOnData& policy : policies) tables.push_back(weigh(policy));
  std::vector<Contrast> contrasts;
  contrasts.reserve(tables.size());
  for (const Matrix<double>& table : tables) {
    contrasts.push_back({.policy = table.view(),
                         .reference = reference,
                         .against = against != nullptr ? other.view() : MatrixView<const double>(),
                         .units = sample.weight});
  }
  const Context alone = context.shared_by(Communicator::self());
  const Analysis analysis(alone, data, options, models);
  const StageScope stage = stages.enter(stages.size() - 1);
  const PropensityBounds bounds =
      choose_propensity_bounds(data.observed, options.nuisance.propensity_bound);
  report.reference = reference;
  report.observed_mean = mean_over_units(sample, data.observed.outcome);
  report.propensity_bounds = bounds.low;
  analysis.describe(report);
  std::vector<std::string> learnt = warn_of_learnt_policies(data.observed, policies);
  report.warnings.insert(report.warnings.begin(), learnt.begin(), learnt.end());
  auto curves = trace_bounds(alone, analysis.model(), contrasts, curve_lambdas(options));
  const auto doubt = [&](const std::string& name, const Matrix<double>& table) {
    const std::optional<std::string> found =
        doubt_overlap(name, sample, table.view(), analysis.propensity(), bounds);
    if (found) report.warnings.push_back(*found);
    return found.value_or("");
  };
  const std::string doubt_of_other = against != nullptr ? doubt(against->name, other) : "";
  for (std::size_t k = 0; k < policies.size(); ++k) {
    const bool is_known = reference == Reference::kLogged &&
                          equals_logged_policy(data.observed, policies[k].probability.view());
    const std::string own_doubt = is_known ? "" : doubt(policies[k].name, tables[k]);
    PolicySensitivity found = is_known ? describe_logged_policy(curve_lambdas(options))
                                       : analysis.analyse(contrasts[k], std::move(curves[k]));
    found.policy = policies[k].name;
    found.doubt = own_doubt.empty() ? doubt_of_other : own_doubt;
    if (against != nullptr) found.against = against->name;
    const std::optional<std::string> disagreement = doubt_agreement(found);
    if (disagreement && found.doubt.empty()) report.warnings.push_back(*disagreement);
    report.policies.push_back(std::move(found));
  }
  return report;
}

}  // namespace cone
