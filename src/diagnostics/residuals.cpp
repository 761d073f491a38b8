#include "diagnostics/residuals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "diagnostics/phrases.hpp"
#include "exec/ordered_values.hpp"
#include "exec/statistics.hpp"
#include "inference/association.hpp"

namespace cone {
namespace {

// docs/diagnostics.md explains the thresholds.
constexpr std::size_t kDegreeGroups = 10;
constexpr double kSignificantTrend = 0.01;  // p
constexpr double kNotableTrend = 0.05;      // correlation

/// Correlation of the residuals with x, and the two-sided p of a zero slope with a
/// heteroscedasticity-robust standard error (White 1980, A heteroskedasticity-consistent covariance
/// matrix estimator and a direct test for heteroskedasticity).
void measure_trend(std::span<const double> x, std::span<const double> residual,
                   const Communicator& comm, DegreeResiduals& out) {
  const double centre_x = mean(x, comm);
  const double centre = mean(residual, comm);
  CompensatedSum squares_x;
  CompensatedSum squares;
  CompensatedSum product;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares_x.add((x[i] - centre_x) * (x[i] - centre_x));
    squares.add((residual[i] - centre) * (residual[i] - centre));
    product.add((x[i] - centre_x) * (residual[i] - centre));
  }
  std::array<double, 3> sums = {squares_x.value(), squares.value(), product.value()};
  comm.allreduce(sums);
  if (!(sums[0] > 0) || !(sums[1] > 0)) return;
  out.correlation = sums[2] / std::sqrt(sums[0] * sums[1]);
  const double slope = sums[2] / sums[0];
  CompensatedSum variance_of_product;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - centre_x;
    const double left = residual[i] - centre - slope * dx;
    variance_of_product.add(dx * dx * left * left);
  }
  const double error = std::sqrt(comm.allreduce(variance_of_product.value()));
  out.p = error > 0 ? std::erfc(std::abs(sums[2]) / error / std::sqrt(2.0)) : 0;
}

using Groups = std::vector<std::vector<std::size_t>>;

/// Means of the residuals by group, and their standard errors.
std::vector<DegreeGroup> describe_groups(const Groups& groups, std::span<const double> degree,
                                         std::span<const double> residual,
                                         const Communicator& comm) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> sums;      // of residuals, then how many, per group
  std::vector<double> extremes;  // of degrees: the largest, then the largest of the negated
  for (const std::vector<std::size_t>& group : groups) {
    CompensatedSum total;
    double high = kNone;
    double negated_low = kNone;
    for (const std::size_t i : group) {
      total.add(residual[i]);
      high = std::max(high, degree[i]);
      negated_low = std::max(negated_low, -degree[i]);
    }
    sums.insert(sums.end(), {total.value(), static_cast<double>(group.size())});
    extremes.insert(extremes.end(), {high, negated_low});
  }
  comm.allreduce(sums);
  comm.allreduce_max(extremes);
  std::vector<DegreeGroup> out;
  std::vector<double> squares;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double centre = sums[2 * g] / sums[2 * g + 1];
    out.push_back({.degrees = {static_cast<std::uint64_t>(-extremes[2 * g + 1]),
                               static_cast<std::uint64_t>(extremes[2 * g])},
                   .num_nodes = static_cast<std::uint64_t>(sums[2 * g + 1]),
                   .mean_residual = centre,
                   .standard_error = kNaN});
    CompensatedSum total;
    for (const std::size_t i : groups[g]) {
      total.add((residual[i] - centre) * (residual[i] - centre));
    }
    squares.push_back(total.value());
  }
  comm.allreduce(squares);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double size = sums[2 * g + 1];
    if (size > 1) out[g].standard_error = std::sqrt(squares[g] / (size - 1) / size);
  }
  return out;
}

}  // namespace

DegreeResiduals measure_degree_residuals(const Neighbourhood& network, const LoggedSample& sample,
                                         std::span<const double> residual,
                                         std::string_view outcome_model) {
  const Communicator& comm = *sample.comm;
  DegreeResiduals out{.outcome_model = std::string(outcome_model)};
  std::vector<double> degree;
  std::vector<double> log_degree;
  for (const NodeIndex i : sample.nodes) {
    degree.push_back(static_cast<double>(network.degree(i)));
    log_degree.push_back(std::log1p(degree.back()));
  }
  out.groups = describe_groups(group_evenly(degree, kDegreeGroups, comm), degree, residual, comm);
  if (out.groups.size() == 1) {
    out.verdict.sentence = "nearly all nodes have the same degree: no trend to test";
    return out;
  }
  measure_trend(log_degree, residual, comm, out);
  const bool is_caution = out.p < kSignificantTrend && std::abs(out.correlation) > kNotableTrend;
  out.verdict = {
      is_caution,
      sentence("the residuals of {} {} the degree (correlation {:+.3f}, {})", outcome_model,
               is_caution ? (out.correlation > 0 ? "increase with" : "decrease with")
                          : "show no notable trend with",
               out.correlation, p_phrase(out.p))};
  return out;
}

std::optional<AssociationDiagnostics> associate_residuals(const Context& context,
                                                          const DependenceKernels& kernels,
                                                          const ModelNoise& noise) {
  if (!kernels.has_edges()) return std::nullopt;
  std::vector<double> standardised = noise.residual;
  for (std::size_t i = 0; i < standardised.size(); ++i) {
    standardised[i] = noise.sd[i] > 0 ? standardised[i] / noise.sd[i] : 0.0;
  }
  const NetworkAssociation found =
      measure_association(context, kernels.network(), standardised, context.seed(), kernels.comm());
  return AssociationDiagnostics{
      .moran = found.moran, .p = found.p, .permutations = found.permutations};
}

void describe_association(const std::optional<AssociationDiagnostics>& found,
                          const Decision& decision, bool has_sensitivity_intervals,
                          Diagnostics& out) {
  constexpr double kSignificant = 0.01;
  constexpr double kNotable = 0.02;  // smaller correlations hardly affect intervals
  out.residual_association = found;
  if (!found || found->p > kSignificant || found->moran < kNotable) return;
  out.warnings.push_back(sentence(
      "the residuals of {} are correlated among neighbours (Moran's I {:.2f}, p {:.2g}): its "
      "outcome model misses a network component. Intervals allow for the correlation ({}) but not "
      "for confounding by that component: {}",
      decision.estimator, found->moran, found->p, enum_name(decision.dependence),
      has_sensitivity_intervals ? "see the sensitivity intervals"
                                : "network_dm has sensitivity intervals"));
}

}  // namespace cone
