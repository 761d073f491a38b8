#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "base/sentence.hpp"
#include "base/text.hpp"
#include "estimate/enough_units.hpp"
#include "estimate/significance.hpp"
#include "evaluate/budget_curve.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/run.hpp"

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

}  // namespace

BudgetCurve EvaluationRun::trace_budget(const EstimatorInfo& row, const Ranking& ranking) const {
  const auto steps = static_cast<std::size_t>(options_.budget.budget_steps);
  ValuedPolicies first;
  BudgetValues values{.covariance = Matrix<double>(steps + 1, steps + 1, kNaN),
                      .level = options_.estimator.level,
                      .lower_is_better = options_.direction.prefers_lower()};
  for (std::size_t k = 0; k <= steps; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(steps);
    first.sample.push_back(ranking.treat_first(share, data_.num_arms()));
    weigh_rows(sample_, first.sample.back());
  }
  // There is a comparison, so all nodes are scored.
  for (const Matrix<double>& table : first.sample) first.tables.push_back(table.view());
  {
    const StageScope stage(context_, "implied weights", 0, 0.7);
    if (row.needs_outcome_model()) imply_weights(basis(), row.outcome, first);
    imply_corrected_weights(basis(), row, first);
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
    context_.poll();
    const Estimate& e = estimates.emplace_back(estimate_row(basis(), row, first, k));
    values.gross.push_back(e.value);
    values.alternatives.push_back(e.alternatives());
    values.cost.push_back(mean_cost(first.sample[k], costs_).value_or(0));
    target = e.target;
    if (!is_comparable(e)) continue;
    tables.push_back(&first.sample[k]);
    indices.push_back(k);
    if (costs_.is_given() && target == Target::kPopulation) {
      net_parts.push_back(subtract_costs(sample_, first.sample[k], costs_,
                                         direction_sign(values.lower_is_better), e.parts));
      parts.push_back(&net_parts.back());
    } else {
      parts.push_back(&e.parts);
    }
  }
  std::optional<JointErrors> errors;
  if (!parts.empty()) {
    errors = join_errors(context_, *kernels_, sample_, target, parts, tables,
                         noise_of(basis(), row), options_.estimator.dependence);
  }
  if (errors) {
    values.covariance = spread_covariance(errors->best().covariance, indices, steps + 1);
    if (options_.estimator.dependence == Dependence::kLargest) {
      values.least_covariance =
          spread_covariance(errors->ways.front().covariance, indices, steps + 1);
    }
    for (std::size_t k = 0; k < indices.size(); ++k) {
      values.degrees_of_freedom = std::min(values.degrees_of_freedom, errors->degrees_of(k));
    }
  }
  BudgetCurve curve = describe_curve(values, context_.seed());
  curve.ranking = ranking.name();
  curve.is_policy = ranking.is_policy();
  curve.arm = data_.arms[ranking.arm()];
  curve.estimator = row.name;
  curve.target = target;
  if (errors) curve.dependence = errors->best().dependence;
  curve.largest_tie = ranking.largest_tie();
  const ModelNoise* noise = noise_of(basis(), row);
  for (std::size_t k = 1; noise != nullptr && strength_ && k <= steps; ++k) {
    const Matrix<double> change = subtract_tables(first.sample[k], first.sample[0]);
    const BiasBound bound =
        bound_confounding_bias(sample_, change.view(), noise->residual, *strength_).bound;
    BudgetPoint& point = curve.points[k];
    if (std::isnan(point.standard_error)) continue;
    constexpr std::array kDifference = {1.0, -1.0};
    const std::array both = {values.alternatives[k], values.alternatives[0]};
    point.sensitivity_interval =
        enclose_confounded(point.gain, point.standard_error,
                           two_sided_t_quantile(values.level, values.degrees_of_freedom),
                           combine(kDifference, both), bound);
  }
  // Treating none and all: the arms that every budget mixes.
  bool is_reliable = true;
  for (const std::size_t k : {std::size_t{0}, steps}) {
    const std::string reason =
        find_unreliable(sample_, first.sample[k].view(), {},
                        estimates[k].effective_sample_size.value_or(kernels_->num_nodes()));
    is_reliable = is_reliable && reason.empty() && !estimates[k].is_oversmoothed();
    if (!reason.empty()) {
      curve.warnings.push_back(
          "no verdict on the ranking, and intervals are probably too narrow: " + reason);
    }
  }
  const auto judge_area = [&](std::span<const double> contrast, RankingArea& area) {
    if (noise != nullptr && strength_) {
      const Matrix<double> table = combine_tables(first.sample, contrast);
      const BiasBound bound =
          bound_confounding_bias(sample_, table.view(), noise->residual, *strength_).bound;
      area.sensitivity_interval =
          enclose_confounded(area.value, area.standard_error,
                             two_sided_t_quantile(values.level, values.degrees_of_freedom),
                             combine(contrast, values.alternatives), bound);
    }
    if (!is_reliable) return;
    area.verdict =
        judge_comparison(area.interval, area.sensitivity_interval,
                         choose_basis(is_randomised(row), strength_ ? &*strength_ : nullptr));
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
  const double statistic =
      noise == nullptr ? 0
                       : direction_sign(curve.lower_is_better) *
                             ranking_residual_statistic(ranking, sample_.arm, noise->residual);
  if (statistic > kLargeStatistic) {
    curve.warnings.push_back(sentence(
        "the ranking is correlated with the residuals of {} (t {:.1f}): either it was learnt from "
        "the same outcomes, so that the curve is biased {}, or it uses information that the "
        "outcome model lacks",
        row.name, statistic, curve.lower_is_better ? "downwards" : "upwards"));
  }
  return curve;
}

std::vector<BudgetCurve> EvaluationRun::trace_budgets() const {
  std::vector<BudgetCurve> curves;
  const EstimatorInfo* headline = find_headline();
  if (!kernels_ || headline == nullptr) return curves;
  const double num_curves = static_cast<double>(rankings_.size());
  for (const Ranking& ranking : rankings_) {
    const auto done = static_cast<double>(curves.size());
    const StageScope stage(context_, fmt::format("budgets by {}", printable(ranking.name())),
                           done / num_curves, (done + 1) / num_curves);
    curves.push_back(trace_budget(*headline, ranking));
  }
  return curves;
}

}  // namespace cone
