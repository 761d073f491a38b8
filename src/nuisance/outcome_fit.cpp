#include "nuisance/outcome_fit.hpp"

#include <limits>
#include <utility>

#include "linear/linear_smoother.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {
namespace {

/// Less than this many residual degrees of freedom is an interpolation, up to rounding.
constexpr double kLeastResidualFreedom = 1e-6;

/// The rows of X, each with the node's treatment as one more column.
SparseMatrix with_treatment_column(const Dataset& data, const SparseMatrix& x,
                                   std::span<const NodeIndex> nodes) {
  const auto treatment_column = static_cast<std::uint32_t>(x.cols());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (const NodeIndex i : nodes) {
    const SparseMatrix::Row row = x.row(i);
    columns.insert(columns.end(), row.columns.begin(), row.columns.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
    if (data.treatment[i] == 1) {
      columns.push_back(treatment_column);
      values.push_back(1.0);
    }
    offsets.push_back(columns.size());
  }
  return {x.cols() + 1, std::move(offsets), std::move(columns), std::move(values)};
}

std::vector<double> squared_residuals(const LinearFit& fit, const SparseMatrix& design,
                                      std::span<const double> y, double residual_freedom) {
  const bool interpolates = residual_freedom < kLeastResidualFreedom;
  const double inflation = interpolates ? std::numeric_limits<double>::quiet_NaN()
                                        : static_cast<double>(y.size()) / residual_freedom;
  std::vector<double> squares(y.size());
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double residual = y[j] - fit.predict(design.row(j));
    squares[j] = inflation * residual * residual;
  }
  return squares;
}

/// Fits and fills in everything but the predictions. `totals`: see LinearSmoother::weights.
LinearFit fit_design(const OutcomeFitInput& input, const SparseMatrix& design, double strength,
                     const Matrix<double>& totals, std::span<const double> total_weight,
                     OutcomeFit& out) {
  const std::vector<double> y = values_at(input.data.outcome, out.nodes);
  LinearSmoother smoother(input.context, design);
  smoother.set_strength(strength);
  LinearFit fit = smoother.fit(y);
  out.weights = smoother.weights(totals, total_weight);
  out.converged = smoother.converged();
  if (input.want_residuals) {
    const double freedom = static_cast<double>(y.size()) - smoother.degrees_of_freedom();
    out.interpolates = freedom < kLeastResidualFreedom;
    out.squared_residuals = squared_residuals(fit, design, y, freedom);
  }
  return fit;
}

}  // namespace

OutcomeFit fit_both_arms(const OutcomeFitInput& input, const FitTask& task) {
  const std::size_t num_features = input.x.cols();
  const std::size_t num_policies = input.policies.rows();
  // Σ_i [π_i·mu1_i + (1 − π_i)·mu0_i] is the sum of predictions at (x_i, t = π_i).
  Matrix<double> totals(num_policies, num_features + 1);
  const std::vector<double> total_weight(num_policies, static_cast<double>(task.score.size()));
  for (std::size_t k = 0; k < num_policies; ++k) {
    for (const NodeIndex i : task.score) {
      const SparseMatrix::Row row = input.x.row(i);
      for (std::size_t e = 0; e < row.size(); ++e) totals(k, row.columns[e]) += row.values[e];
      totals(k, num_features) += input.policies(k, i);
    }
  }
  OutcomeFit out;
  out.nodes = task.fit;
  const LinearFit fit = fit_design(input, with_treatment_column(input.data, input.x, task.fit),
                                   /*strength=*/0.0, totals, total_weight, out);
  for (const NodeIndex i : task.score) {
    out.mu0.push_back(fit.predict(input.x.row(i)));
    out.mu1.push_back(out.mu0.back() + fit.coefficients.back());
  }
  return out;
}

OutcomeFit fit_one_arm(const OutcomeFitInput& input, const FitTask& task, std::uint8_t arm,
                       double strength) {
  const std::size_t num_policies = input.policies.rows();
  Matrix<double> totals(num_policies, input.x.cols());
  std::vector<double> total_weight(num_policies, 0.0);
  for (std::size_t k = 0; k < num_policies; ++k) {
    for (const NodeIndex i : task.score) {
      const double weight = arm == 1 ? input.policies(k, i) : 1 - input.policies(k, i);
      const SparseMatrix::Row row = input.x.row(i);
      for (std::size_t e = 0; e < row.size(); ++e) {
        totals(k, row.columns[e]) += weight * row.values[e];
      }
      total_weight[k] += weight;
    }
  }
  OutcomeFit out;
  out.nodes = nodes_of_arm(input.data, task.fit, arm);
  const LinearFit fit =
      fit_design(input, input.x.select_rows(out.nodes), strength, totals, total_weight, out);
  std::vector<double>& mu = arm == 1 ? out.mu1 : out.mu0;
  for (const NodeIndex i : task.score) mu.push_back(fit.predict(input.x.row(i)));
  return out;
}

}  // namespace cone
