#include "evaluate/trace_budgets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "diagnostics/stability.hpp"
#include "estimate/enough_units.hpp"
#include "estimate/significance.hpp"
#include "evaluate/budget_curve.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/estimate_policies.hpp"

namespace cone {
namespace {

// For a ranking independent of the residuals the t statistic is standard normal: it exceeds this
// once in 30,000.
constexpr double kLargeStatistic = 4;
constexpr double kLargeTie = 0.2;

/// With NaN for values without a standard error.
Matrix<double> spread_covariance(const Matrix<double>& known, std::span<const std::size_t> indices,
                                 std::size_t size) {
  Matrix<double> out(size, size, kNaN);
  for (std::size_t j = 0; j < indices.size(); ++j) {
    for (std::size_t k = 0; k < indices.size(); ++k) out(indices[j], indices[k]) = known(j, k);
  }
  return out;
}

/// Policy − treating no unit, whose confounding bias is that of the gain.
Matrix<double> subtract_tables(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> out(a.rows(), a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) out(i, j) = a(i, j) - b(i, j);
  }
  return out;
}

/// Σ_k weights[k] · tables[k], whose confounding bias is that of the contrast.
Matrix<double> combine_tables(std::span<const Matrix<double>> tables,
                              std::span<const double> weights) {
  Matrix<double> out(tables.front().rows(), tables.front().cols(), 0.0);
  for (std::size_t k = 0; k < tables.size(); ++k) {
    for (std::size_t j = 0; j < out.values().size(); ++j) {
      out.values()[j] += weights[k] * tables[k].values()[j];
    }
  }
  return out;
}

BudgetCurve trace_budget(const Context& context, const LoadedData& data, const EvaluationPlan& plan,
                         const Learnt& learnt, const EvaluateOptions& options,
                         const EstimatorInfo& row, const Ranking& ranking) {
  const LoggedSample& sample = plan.sample;
  const ModelNoise* noise = learnt.noise_of(row);
  const NetworkStrength* strength = learnt.strength ? &*learnt.strength : nullptr;
  const auto steps = static_cast<std::size_t>(options.budget.budget_steps);
  PolicyTables first;
  PolicyWeights weights;
  BudgetValues values{.covariance = Matrix<double>(steps + 1, steps + 1, kNaN),
                      .level = options.estimator.level,
                      .lower_is_better = options.direction.prefers_lower()};
  for (std::size_t k = 0; k <= steps; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(steps);
    first.sample.push_back(ranking.treat_first(share, sample.num_arms()));
    weigh_rows(sample, first.sample.back());
  }
  // There is a comparison, so all nodes are scored.
  for (const Matrix<double>& table : first.sample) first.nodes.push_back(table.view());
  {
    const StageScope stage(context, "implied weights", 0, 0.7);
    if (row.needs_outcome_model()) {
      imply_weights(context, plan, first, learnt, row.outcome, weights);
    }
    find_row_weights(context, plan, first, learnt, options.estimator, row, weights);
  }
  std::vector<Estimate> estimates;
  std::vector<const ErrorParts*> parts;
  std::vector<const Matrix<double>*> tables;
  std::vector<std::size_t> indices;
  std::vector<ErrorParts> net_parts;  // the population's mean cost has an error
  estimates.reserve(steps + 1);
  net_parts.reserve(steps + 1);
  Target target = Target::kSample;
  for (std::size_t k = 0; k <= steps; ++k) {
    context.poll();
    const Estimate& e = estimates.emplace_back(
        estimate_row(context, plan, first, learnt, weights, options.estimator, row, k));
    values.gross.push_back(e.value);
    values.alternatives.push_back(e.alternatives());
    values.cost.push_back(mean_cost(first.sample[k], plan.costs, *sample.comm).value_or(0));
    target = e.target;
    if (!is_comparable(e, *sample.comm)) continue;
    tables.push_back(&first.sample[k]);
    indices.push_back(k);
    if (plan.costs.is_given() && target == Target::kPopulation) {
      net_parts.push_back(subtract_costs(sample, first.sample[k], plan.costs,
                                         direction_sign(values.lower_is_better), e.parts));
      parts.push_back(&net_parts.back());
    } else {
      parts.push_back(&e.parts);
    }
  }
  std::optional<JointErrors> errors;
  if (!parts.empty()) {
    errors = join_errors(context, *learnt.kernels, sample, target, parts, tables, noise,
                         options.estimator.dependence);
  }
  if (errors) {
    values.covariance = spread_covariance(errors->best().covariance, indices, steps + 1);
    if (options.estimator.dependence == Dependence::kLargest) {
      values.least_covariance =
          spread_covariance(errors->ways.front().covariance, indices, steps + 1);
    }
    for (std::size_t k = 0; k < indices.size(); ++k) {
      values.degrees_of_freedom = std::min(values.degrees_of_freedom, errors->degrees_of(k));
    }
  }
  BudgetCurve curve = describe_curve(values, context.seed());
  curve.ranking = ranking.name();
  curve.is_policy = ranking.is_policy();
  curve.arm = sample.arms[ranking.arm()];
  curve.estimator = row.name;
  curve.target = target;
  if (errors) curve.dependence = errors->best().dependence;
  curve.largest_tie = ranking.largest_tie();
  for (std::size_t k = 1; noise != nullptr && strength != nullptr && k <= steps; ++k) {
    const Matrix<double> change = subtract_tables(first.sample[k], first.sample[0]);
    const BiasBound bound =
        bound_confounding_bias(sample, change.view(), noise->residual, *strength).bound;
    BudgetPoint& point = curve.points[k];
    if (std::isnan(point.standard_error)) continue;
    constexpr std::array kDifference = {1.0, -1.0};
    const std::array both = {values.alternatives[k], values.alternatives[0]};
    point.sensitivity_interval =
        enclose_confounded(point.gain, point.standard_error,
                           two_sided_t_quantile(values.level, values.degrees_of_freedom),
                           combine(kDifference, both), bound);
  }
  const std::string learnt_failure = find_learning_failure(ranking.learnt_on(), row.method);
  bool is_reliable = learnt_failure.empty();
  if (!is_reliable) {
    curve.warnings.push_back("no verdict on the ranking, and intervals are not valid: " +
                             learnt_failure);
  }
  // Treating none and all: the arms that every budget mixes.
  for (const std::size_t k : {std::size_t{0}, steps}) {
    const std::string reason =
        find_unreliable(sample, first.sample[k].view(), {},
                        estimates[k].effective_sample_size.value_or(learnt.kernels->num_nodes()));
    is_reliable = is_reliable && reason.empty() && !estimates[k].is_oversmoothed();
    if (!reason.empty()) {
      curve.warnings.push_back(
          "no verdict on the ranking, and intervals are probably too narrow: " + reason);
    }
  }
  const auto judge_area = [&](std::span<const double> contrast, RankingArea& area) {
    if (noise != nullptr && strength != nullptr) {
      const Matrix<double> table = combine_tables(first.sample, contrast);
      const BiasBound bound =
          bound_confounding_bias(sample, table.view(), noise->residual, *strength).bound;
      area.sensitivity_interval =
          enclose_confounded(area.value, area.standard_error,
                             two_sided_t_quantile(values.level, values.degrees_of_freedom),
                             combine(contrast, values.alternatives), bound);
    }
    if (!is_reliable) return;
    area.verdict = judge_comparison(
        area.interval, area.sensitivity_interval,
        choose_basis(is_randomised(data.observed, learnt, options, row), strength));
  };
  judge_area(qini_contrast(steps), curve.qini);
  judge_area(autoc_contrast(steps), curve.autoc);
  if (indices.size() <= steps) {
    curve.warnings.emplace_back("no valid interval at some budgets: overlap fails there");
  }
  if (curve.largest_tie > kLargeTie) {
    curve.warnings.push_back(sentence(
        "{:.0f} % of the units have the same score: a budget that ends among them treats a random "
        "subset",
        100 * curve.largest_tie));
  }
  const double statistic = noise == nullptr
                               ? 0
                               : direction_sign(curve.lower_is_better) *
                                     ranking_residual_statistic(ranking, sample, noise->residual);
  if (statistic > kLargeStatistic) {
    curve.warnings.push_back(sentence(
        "the ranking is correlated with the residuals of {} (t {:.1f}): either it was learnt from "
        "the same outcomes, so that the curve is biased {}, or it uses information that the "
        "outcome model lacks",
        row.name, statistic, curve.lower_is_better ? "downwards" : "upwards"));
  }
  return curve;
}

}  // namespace

std::vector<BudgetCurve> trace_budgets(const Context& context, const LoadedData& data,
                                       const EvaluationPlan& plan, const Learnt& learnt,
                                       const EvaluateOptions& options) {
  std::vector<BudgetCurve> curves;
  const EstimatorInfo* headline = choose_headline(learnt.ready);
  if (!learnt.kernels || headline == nullptr) return curves;
  const auto num_curves = static_cast<double>(plan.rankings.size());
  for (const Ranking& ranking : plan.rankings) {
    const auto done = static_cast<double>(curves.size());
    const StageScope stage(context, fmt::format("budgets by {}", printable(ranking.name())),
                           done / num_curves, (done + 1) / num_curves);
    curves.push_back(trace_budget(context, data, plan, learnt, options, *headline, ranking));
    if (plan.sample.comm->any(data.truth.has_value())) {
      const Matrix<double> none(0, plan.sample.num_arms());
      add_true_gains(data.truth ? data.truth->outcomes() : none.view(), plan.sample, ranking,
                     curves.back());
    }
  }
  return curves;
}

}  // namespace cone
