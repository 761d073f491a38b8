#include "nuisance/linear_fit.hpp"

#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "nuisance/plan_checks.hpp"

namespace cone {
namespace {

/// With fewer residual degrees of freedom the fit interpolates, up to rounding.
constexpr double kLeastResidualFreedom = 1e-6;

std::vector<double> squared_residuals(const LinearFit& fit, const FeatureMatrix& design,
                                      std::span<const double> y, double residual_freedom) {
  const bool interpolates = residual_freedom < kLeastResidualFreedom;
  const double inflation = interpolates ? kNaN : static_cast<double>(y.size()) / residual_freedom;
  std::vector<double> squares(y.size());
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double residual = y[j] - fit.predict(design.row(j));
    squares[j] = inflation * residual * residual;
  }
  return squares;
}

Matrix<double> predict_scored(const LinearInputs& inputs, const LinearUnit& unit,
                              const LinearFit& fit) {
  const std::vector<NodeIndex>& score = inputs.plan.tasks[unit.task].score;
  Matrix<double> mu(score.size(), unit.all_arms() ? inputs.data.num_arms() : 1);
  const Matrix<double> corners = arm_corners(mu.cols());
  const std::vector<double> of_features = fit.predict(inputs.x, score);
  for (std::size_t k = 0; k < score.size(); ++k) {
    const double at_control = of_features[k];
    for (std::size_t a = 0; a < mu.cols(); ++a) {
      double shift = 0;
      for (std::size_t j = 0; j < corners.cols(); ++j) {
        shift += corners(a, j) * fit.coefficients[inputs.x.cols() + j];
      }
      mu(k, a) = at_control + shift;
    }
  }
  return mu;
}

/// The rows of X, with the arm's corner as further columns where all arms are fitted at once.
FeatureMatrix make_design(const LinearInputs& inputs, const LinearUnit& unit,
                          std::span<const NodeIndex> nodes) {
  if (!unit.all_arms()) return inputs.x.select_rows(nodes);
  const Matrix<double> corners = arm_corners(inputs.data.num_arms());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (const NodeIndex i : nodes) {
    for (std::size_t j = 0; j < corners.cols(); ++j) {
      const double coordinate = corners(inputs.data.treatment[i], j);
      if (coordinate == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(coordinate);
    }
    offsets.push_back(columns.size());
  }
  return inputs.x.select_rows(nodes).append_columns(
      {corners.cols(), std::move(offsets), std::move(columns), std::move(values)});
}

}  // namespace

Matrix<double> arm_corners(std::size_t num_arms) {
  Matrix<double> corners(num_arms, num_arms - 1);
  for (std::size_t a = 1; a < num_arms; ++a) {
    for (std::size_t j = 0; j + 1 < a; ++j) {
      corners(a, j) = 1 / std::sqrt(2.0 * static_cast<double>((j + 1) * (j + 2)));
    }
    corners(a, a - 1) = std::sqrt(static_cast<double>(a + 1) / static_cast<double>(2 * a));
  }
  return corners;
}

std::unique_ptr<LinearSmoother> make_smoother(const Context& context, const LinearInputs& inputs,
                                              const LinearUnit& unit,
                                              std::span<const NodeIndex> nodes) {
  if (!unit.all_arms()) return std::make_unique<LinearSmoother>(context, inputs.x, nodes);
  return std::make_unique<LinearSmoother>(context, make_design(inputs, unit, nodes));
}

std::vector<NodeIndex> choose_nodes(const LinearInputs& inputs, const LinearUnit& unit) {
  const std::vector<NodeIndex>& fit = inputs.plan.tasks[unit.task].fit;
  return unit.all_arms() ? fit : nodes_of_arm(inputs.data, fit, *unit.arm);
}

LinearUnitFit fit_linear_unit(const Context& context, const LinearInputs& inputs,
                              const LinearUnit& unit, bool want_residuals) {
  LinearUnitFit out;
  out.nodes = choose_nodes(inputs, unit);
  const std::vector<double> y = values_at(inputs.data.outcome, out.nodes);
  out.smoother = make_smoother(context, inputs, unit, out.nodes);
  out.smoother->set_strength(unit.strength);
  const LinearFit fit = out.smoother->fit(y);
  out.converged = out.smoother->converged();
  if (want_residuals) {
    const double freedom = static_cast<double>(y.size()) - out.smoother->degrees_of_freedom();
    out.interpolates = freedom < kLeastResidualFreedom;
    out.squared_residuals =
        squared_residuals(fit, make_design(inputs, unit, out.nodes), y, freedom);
  }
  out.mu = predict_scored(inputs, unit, fit);
  return out;
}

LinearUnitFit use_linear_fit(const LinearInputs& inputs, const LinearUnit& unit,
                             const LinearFit& fit) {
  LinearUnitFit out;
  out.converged = fit.converged;
  out.mu = predict_scored(inputs, unit, fit);
  return out;
}

}  // namespace cone
