#include "evaluate/degree_diagnostics.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "evaluate/even_groups.hpp"
#include "evaluate/overlap_diagnostics.hpp"

namespace cone {
namespace {

// docs/diagnostics.md says why.
constexpr std::size_t kDegreeGroups = 10;
constexpr double kSureTrend = 0.01;     // p
constexpr double kNotableTrend = 0.05;  // correlation

/// Correlation of the residuals with x, and the two-sided p of no slope with an error that allows
/// for noise of any size at any x.
void measure_trend(std::span<const double> x, std::span<const double> residual,
                   DegreeResiduals& out) {
  const double centre_x = mean(x);
  const double centre = mean(residual);
  CompensatedSum squares_x;
  CompensatedSum squares;
  CompensatedSum product;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares_x.add((x[i] - centre_x) * (x[i] - centre_x));
    squares.add((residual[i] - centre) * (residual[i] - centre));
    product.add((x[i] - centre_x) * (residual[i] - centre));
  }
  if (!(squares_x.value() > 0) || !(squares.value() > 0)) return;
  out.correlation = product.value() / std::sqrt(squares_x.value() * squares.value());
  const double slope = product.value() / squares_x.value();
  CompensatedSum variance_of_product;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - centre_x;
    const double left = residual[i] - centre - slope * dx;
    variance_of_product.add(dx * dx * left * left);
  }
  const double error = std::sqrt(variance_of_product.value());
  out.p = error > 0 ? std::erfc(std::abs(product.value()) / error / std::sqrt(2.0)) : 0;
}

}  // namespace

DegreeResiduals measure_degree_residuals(const Graph& graph, std::span<const NodeIndex> nodes,
                                         std::span<const double> residual,
                                         std::string_view outcome_model) {
  DegreeResiduals out{.outcome_model = std::string(outcome_model)};
  std::vector<double> degree;
  std::vector<double> log_degree;
  for (const NodeIndex i : nodes) {
    degree.push_back(static_cast<double>(graph.degree(i)));
    log_degree.push_back(std::log1p(degree.back()));
  }
  for (const std::vector<std::size_t>& group : group_evenly(degree, kDegreeGroups)) {
    std::vector<double> of_group;
    double low = degree[group.front()];
    double high = low;
    for (const std::size_t i : group) {
      of_group.push_back(residual[i]);
      low = std::min(low, degree[i]);
      high = std::max(high, degree[i]);
    }
    out.groups.push_back({.low = static_cast<std::uint64_t>(low),
                          .high = static_cast<std::uint64_t>(high),
                          .num_nodes = group.size(),
                          .mean_residual = mean(of_group),
                          .standard_error = standard_error(of_group)});
  }
  if (out.groups.size() == 1) {
    out.verdict.sentence = "nearly all have the same number of friends: no trend to look for";
    return out;
  }
  measure_trend(log_degree, residual, out);
  const bool is_caution = out.p < kSureTrend && std::abs(out.correlation) > kNotableTrend;
  out.verdict = {is_caution,
                 fmt::format("what {} leaves unexplained {} the number of friends (correlation "
                             "{:+.3f}, {})",
                             outcome_model,
                             is_caution ? (out.correlation > 0 ? "grows with" : "falls with")
                                        : "has little to do with",
                             out.correlation, p_phrase(out.p))};
  return out;
}

}  // namespace cone
