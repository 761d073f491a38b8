#include "nuisance/cohesion_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostCohesionIterations = 5000;
constexpr std::size_t kNodesPerPoll = 65536;

double inner_product(const CohesionCoefficients& a, const CohesionCoefficients& b) {
  return a.intercept * b.intercept + dot(a.slopes, b.slopes) + dot(a.effects, b.effects);
}

void add_scaled(double factor, const CohesionCoefficients& term, CohesionCoefficients& sum) {
  sum.intercept += factor * term.intercept;
  for (std::size_t j = 0; j < sum.slopes.size(); ++j) sum.slopes[j] += factor * term.slopes[j];
  for (std::size_t i = 0; i < sum.effects.size(); ++i) sum.effects[i] += factor * term.effects[i];
}

CohesionCoefficients divide(CohesionCoefficients a, const CohesionCoefficients& b) {
  a.intercept /= b.intercept;
  for (std::size_t j = 0; j < a.slopes.size(); ++j) a.slopes[j] /= b.slopes[j];
  for (std::size_t i = 0; i < a.effects.size(); ++i) a.effects[i] /= b.effects[i];
  return a;
}

bool has_slopes(const CohesionPenalties& penalties) { return std::isfinite(penalties.ridge); }
bool has_effects(const CohesionPenalties& penalties) { return std::isfinite(penalties.cohesion); }

}  // namespace

CohesionSystem::CohesionSystem(const Context& context, const FeatureMatrix& x, const Graph& graph,
                               std::span<const NodeIndex> nodes)
    : context_(context), graph_(graph), nodes_(nodes.begin(), nodes.end()), x_(context, x, nodes) {}

CohesionCoefficients CohesionSystem::zeros() const {
  return {.slopes = std::vector<double>(x_.cols(), 0.0),
          .effects = std::vector<double>(graph_.num_nodes(), 0.0)};
}

void CohesionSystem::predict(const CohesionCoefficients& c, const CohesionPenalties& penalties,
                             std::span<double> out) const {
  if (has_slopes(penalties)) {
    x_.multiply(c.slopes, out);
  } else {
    std::ranges::fill(out, 0.0);
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k) out[k] += c.intercept;
  if (!has_effects(penalties)) return;
  for (std::size_t k = 0; k < nodes_.size(); ++k) out[k] += c.effects[nodes_[k]];
}

CohesionCoefficients CohesionSystem::total_over_nodes(std::span<const double> values,
                                                      const CohesionPenalties& penalties) const {
  CohesionCoefficients out = zeros();
  for (const double value : values) out.intercept += value;
  if (has_slopes(penalties)) x_.multiply_transposed(values, out.slopes);
  if (!has_effects(penalties)) return out;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (graph_.degree(nodes_[k]) > 0) out.effects[nodes_[k]] = values[k];
  }
  return out;
}

CohesionCoefficients CohesionSystem::multiply(const CohesionCoefficients& c,
                                              const CohesionPenalties& penalties) const {
  std::vector<double> fitted(nodes_.size());
  predict(c, penalties, fitted);
  CohesionCoefficients out = total_over_nodes(fitted, penalties);
  if (has_slopes(penalties)) {
    for (std::size_t j = 0; j < out.slopes.size(); ++j) {
      out.slopes[j] += penalties.ridge * c.slopes[j];
    }
  }
  if (!has_effects(penalties)) return out;
  for (NodeIndex i = 0; i < graph_.num_nodes(); ++i) {
    if (i % kNodesPerPoll == 0) context_.poll();
    const std::span<const NodeIndex> neighbours = graph_.neighbours(i);
    if (neighbours.empty()) continue;
    double of_neighbours = 0;
    for (const NodeIndex j : neighbours) of_neighbours += c.effects[j];
    const double own = static_cast<double>(neighbours.size()) + kCohesionDiagonal;
    out.effects[i] += penalties.cohesion * (own * c.effects[i] - of_neighbours);
  }
  return out;
}

CohesionCoefficients CohesionSystem::diagonal(const CohesionPenalties& penalties) const {
  CohesionCoefficients out{.intercept = static_cast<double>(nodes_.size()),
                           .slopes = std::vector<double>(x_.cols(), 1.0),
                           .effects = std::vector<double>(graph_.num_nodes(), 1.0)};
  if (has_slopes(penalties)) {
    for (std::size_t j = 0; j < out.slopes.size(); ++j) {
      out.slopes[j] = x_.sums_of_squares()[j] + penalties.ridge;
    }
  }
  if (!has_effects(penalties)) return out;
  for (NodeIndex i = 0; i < graph_.num_nodes(); ++i) {
    if (graph_.degree(i) == 0) continue;
    out.effects[i] =
        penalties.cohesion * (static_cast<double>(graph_.degree(i)) + kCohesionDiagonal);
  }
  for (const NodeIndex i : nodes_) {
    if (graph_.degree(i) > 0) out.effects[i] += 1;
  }
  return out;
}

bool CohesionSystem::solve(const CohesionCoefficients& right_hand_side,
                           const CohesionPenalties& penalties, double tolerance,
                           CohesionCoefficients& c) const {
  const CohesionCoefficients scale = diagonal(penalties);
  const double target =
      tolerance * tolerance * inner_product(right_hand_side, divide(right_hand_side, scale));
  CohesionCoefficients residual = right_hand_side;
  add_scaled(-1, multiply(c, penalties), residual);
  CohesionCoefficients scaled = divide(residual, scale);
  CohesionCoefficients direction = scaled;
  double size = inner_product(residual, scaled);
  for (std::size_t iteration = 0; size > target; ++iteration) {
    if (iteration == kMostCohesionIterations) return false;
    context_.poll();
    const CohesionCoefficients image = multiply(direction, penalties);
    const double curvature = inner_product(direction, image);
    if (!(curvature > 0)) break;  // rounding: nothing is left to gain
    add_scaled(size / curvature, direction, c);
    add_scaled(-size / curvature, image, residual);
    scaled = divide(residual, scale);
    const double next = inner_product(residual, scaled);
    CohesionCoefficients turned = scaled;
    add_scaled(next / size, direction, turned);
    direction = std::move(turned);
    size = next;
  }
  return true;
}

bool CohesionSystem::fit(std::span<const double> outcomes, const CohesionPenalties& penalties,
                         double tolerance, CohesionCoefficients& coefficients) const {
  // The level of the outcomes must not decide when the iterations end.
  const double centre = mean(outcomes);
  std::vector<double> deviations(outcomes.begin(), outcomes.end());
  for (double& value : deviations) value -= centre;
  coefficients.intercept = 0;
  const bool converged =
      solve(total_over_nodes(deviations, penalties), penalties, tolerance, coefficients);
  coefficients.intercept += centre;
  return converged;
}

std::vector<double> CohesionSystem::weights(const CohesionCoefficients& total,
                                            const CohesionPenalties& penalties, double tolerance,
                                            bool& converged) const {
  CohesionCoefficients right_hand_side = total;
  if (!has_slopes(penalties)) std::ranges::fill(right_hand_side.slopes, 0.0);
  for (NodeIndex i = 0; i < graph_.num_nodes(); ++i) {
    if (!has_effects(penalties) || graph_.degree(i) == 0) right_hand_side.effects[i] = 0;
  }
  CohesionCoefficients solution = zeros();
  converged = solve(right_hand_side, penalties, tolerance, solution);
  std::vector<double> out(nodes_.size());
  predict(solution, penalties, out);
  return out;
}

}  // namespace cone
