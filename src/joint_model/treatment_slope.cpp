#include "joint_model/treatment_slope.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "estimate/significance.hpp"
#include "joint_model/mixed_model.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/learn_arm.hpp"
#include "network_ridge/learn_variances.hpp"
#include "network_ridge/small_matrices.hpp"

namespace cone {
namespace {

constexpr std::size_t kSlopeRounds = 5;
/// Rounds that learn the variances of other reasons; they hardly change afterwards.
constexpr std::size_t kVarianceRounds = 2;
/// The slope has converged where it changes by less than this share of its standard error.
constexpr double kSlopeTolerance = 0.01;
/// In the last round.
constexpr double kLargestSlopeChange = 0.2;
constexpr double kSolveTolerance = 1e-6;
/// Variances of the log odds are known far less precisely than this gain in log likelihood.
constexpr double kLikelihoodTolerance = 1e-2;

/// The fixed effects that are linearly independent over all positions.
Matrix<double> make_fixed(const RidgeInputs& inputs) {
  constexpr std::size_t kAll = RidgeSystem::kNumFixed;
  std::vector<Matrix<double>> products(1, Matrix<double>(kAll, kAll));
  const auto effect = [&](std::size_t p, std::size_t c) {
    return fixed_effect_of(inputs.relative_degree[p], c);
  };
  for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
    for (std::size_t r = 0; r < kAll; ++r) {
      for (std::size_t c = 0; c < kAll; ++c) products[0](r, c) += effect(p, r) * effect(p, c);
    }
  }
  const std::vector<std::size_t> kept = choose_fixed(products);
  Matrix<double> out(inputs.num_nodes(), kept.size());
  for (std::size_t p = 0; p < out.rows(); ++p) {
    for (std::size_t c = 0; c < kept.size(); ++c) out(p, c) = effect(p, kept[c]);
  }
  return out;
}

Matrix<double> append_column(const Matrix<double>& table, std::span<const double> column) {
  Matrix<double> out(table.rows(), table.cols() + 1);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    std::ranges::copy(table.row(i), out.row(i).begin());
    out(i, table.cols()) = column[i];
  }
  return out;
}

/// Log odds by logistic regression, a few Newton steps from the share of the arm.
std::vector<double> regress_logistic(const Matrix<double>& design,
                                     std::span<const double> received) {
  constexpr int kSteps = 8;
  const std::size_t width = design.cols();
  const double share = mean(received);
  std::vector<double> index(received.size(), std::log(share / (1 - share)));
  for (int step = 0; step < kSteps; ++step) {
    const WorkingOutcome working(index, received);
    SmallSystem small(width);
    std::vector<double> slopes(width, 0.0);
    for (std::size_t i = 0; i < index.size(); ++i) {
      for (std::size_t r = 0; r < width; ++r) {
        const double weighted = design(i, r) / working.noise[i];
        slopes[r] += weighted * working.outcome[i];
        for (std::size_t c = 0; c < width; ++c) small.matrix(r, c) += weighted * design(i, c);
      }
    }
    if (!small.factorise()) break;
    small.solve(slopes);
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = dot(design.row(i), slopes);
  }
  return index;
}

/// The variances of h, given the noise of the working outcomes; `variances`: of the round before,
/// or empty.
bool learn_reasons(const Context& context, const TreatmentData& data, const WorkingOutcome& working,
                   const Matrix<double>& design, std::vector<double>& variances) {
  if (data.groups.empty()) return true;
  const TreatmentSample& rows = data.sample;
  ArmSample sample;
  sample.kernels = rows.kernels;
  sample.fixed = Matrix<double>(rows.positions.size(), design.cols());
  for (std::size_t i = 0; i < rows.positions.size(); ++i) {
    const std::uint32_t p = rows.positions[i];
    std::ranges::copy(design.row(p), sample.fixed.row(i).begin());
    sample.outcome.push_back(working.outcome[p]);
    sample.known_noise.push_back(working.noise[p]);
  }
  const LearntVariances learnt =
      variances.empty() ? learn_variances(context, sample, rows.order, kLikelihoodTolerance)
                        : improve_variances(context, sample, variances, kLikelihoodTolerance);
  variances = learnt.variances;
  return learnt.converged;
}

MixedModel make_treatment_model(const Context& context, const RidgeSystem& reasons,
                                const WorkingOutcome& working, const Matrix<double>& fixed) {
  MixedModel model;
  model.multiply = [&](const Matrix<double>& v) {
    Matrix<double> out = multiply_kernel(context, reasons, 0, v);
    for (std::size_t i = 0; i < out.rows(); ++i) {
      for (std::size_t c = 0; c < out.cols(); ++c) out(i, c) += working.noise[i] * v(i, c);
    }
    return out;
  };
  model.diagonal = approximate_diagonal(reasons, 0);
  for (std::size_t i = 0; i < working.noise.size(); ++i) model.diagonal[i] += working.noise[i];
  model.fixed = fixed;
  return model;
}

double dot_column(const Matrix<double>& table, std::size_t column, std::span<const double> with) {
  CompensatedSum total;
  for (std::size_t i = 0; i < table.rows(); ++i) total.add(table(i, column) * with[i]);
  return total.value();
}

/// √Σ_c (Σ_{i in c} q_i·u_i)² / q'f, q = Pf and u the residuals on the fixed effects.
double cluster_error(const TreatmentData& data, const Matrix<double>& fixed,
                     const WorkingOutcome& working, const MixedSolution& solved, double slope,
                     double information) {
  std::map<std::uint32_t, double> sums;
  for (std::size_t i = 0; i < working.outcome.size(); ++i) {
    double residual = working.outcome[i] - slope * data.predicted[i];
    for (std::size_t c = 0; c < fixed.cols(); ++c) {
      residual -= fixed(i, c) * (solved.lambda(c, 0) - slope * solved.lambda(c, 1));
    }
    sums[data.cluster[i]] += solved.x(i, 1) * residual;
  }
  double total = 0;
  for (const auto& [cluster, sum] : sums) total += sum * sum;
  return std::sqrt(total) / information;
}

/// Slopes s of several columns at once by generalised least squares, with their covariance M⁻¹.
struct PartSlopes {
  std::vector<double> slopes;  ///< empty where they are not identified
  std::vector<double> sides;   ///< M·s
  Matrix<double> information;  ///< M
};

PartSlopes fit_slopes(const Context& context, const MixedModel& model, const Matrix<double>& parts,
                      const WorkingOutcome& working) {
  const std::size_t count = parts.cols();
  const MixedSolution solved = solve_mixed_model(context, model, parts, kSolveTolerance);
  if (!solved.converged) return {};
  PartSlopes out{.information = Matrix<double>(count, count)};
  for (std::size_t k = 0; k < count; ++k) {
    out.sides.push_back(dot_column(solved.x, k, working.outcome));
    for (std::size_t l = 0; l < count; ++l) {
      CompensatedSum total;
      for (std::size_t i = 0; i < parts.rows(); ++i) total.add(solved.x(i, k) * parts(i, l));
      out.information(k, l) = total.value();
    }
  }
  SmallSystem small(count);
  small.matrix = out.information;
  if (!small.factorise()) return out;
  out.slopes = out.sides;
  small.solve(out.slopes);
  return out;
}

/// The p value of Q = (s − c·1)'M(s − c·1), c = 1'Ms/1'M1; 0 where it cannot be computed.
double test_equal_slopes(const Context& context, const MixedModel& model,
                         const Matrix<double>& parts, const WorkingOutcome& working,
                         double inflation) {
  if (parts.cols() < 2) return 1;
  const PartSlopes found = fit_slopes(context, model, parts, working);
  if (found.slopes.empty()) return 0;
  const double common = sum(found.sides) / sum(found.information.values());
  const double statistic = dot(found.slopes, found.sides) - common * sum(found.sides);
  return chi_squared_tail(std::max(0.0, statistic / inflation),
                          static_cast<double>(parts.cols() - 1));
}

/// The slope of the network's contribution over its standard error, beside that of the rest of the
/// prediction.
double find_network_statistic(const Context& context, const MixedModel& model,
                              const TreatmentData& data, const WorkingOutcome& working,
                              double inflation) {
  if (data.network.empty()) return 0;
  Matrix<double> both(data.network.size(), 2);
  for (std::size_t i = 0; i < both.rows(); ++i) {
    both(i, 0) = data.network[i];
    both(i, 1) = data.predicted[i] - data.network[i];
  }
  const PartSlopes found = fit_slopes(context, model, both, working);
  if (found.slopes.empty()) return 0;
  const Matrix<double>& m = found.information;
  const double variance = m(1, 1) / (m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0));
  return found.slopes[0] / std::sqrt(variance * inflation);
}

}  // namespace

TreatmentSample::TreatmentSample(const Context& context, const Dataset& data,
                                 const RidgeInputs& inputs, std::span<const RidgeGroup> groups) {
  constexpr std::size_t kMostNodes = 1500;
  std::vector<std::uint64_t> hashes;
  for (std::size_t p = 0; p < inputs.num_nodes(); ++p) {
    hashes.push_back(hash64(data.ids[inputs.node_at[p]]));
  }
  std::vector<std::size_t> rows = order_by_hash(hashes);
  rows.resize(std::min(rows.size(), kMostNodes));
  for (const std::size_t p : rows) positions.push_back(static_cast<std::uint32_t>(p));
  order.resize(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  kernels = make_kernels(context, inputs, groups, positions);
}

WorkingOutcome::WorkingOutcome(std::span<const double> index, std::span<const double> received) {
  constexpr double kLeastWeight = 1e-3;
  noise.reserve(index.size());
  outcome.reserve(index.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const double e = sigmoid(index[i]);
    noise.push_back(1 / std::max(e * (1 - e), kLeastWeight));
    outcome.push_back(index[i] + (received[i] - e) * noise.back());
  }
}

std::vector<double> approximate_diagonal(const RidgeSystem& system, std::size_t arm) {
  double constant = 0;
  double by_degree = 0;
  for (std::size_t g = 0; g < system.groups.size(); ++g) {
    const GroupKind kind = system.groups[g].kind;
    const bool sums = kind == GroupKind::kNeighbourSumsCounts ||
                      kind == GroupKind::kNeighbourSumsNumeric ||
                      kind == GroupKind::kNeighbourEffects;
    (sums ? by_degree : constant) += system.arms[arm].group_variances[g];
  }
  std::vector<double> out;
  out.reserve(system.inputs->num_nodes());
  for (const double degree : system.inputs->relative_degree) {
    out.push_back(constant + by_degree * degree);
  }
  return out;
}

double residual_sd(const Matrix<double>& fixed, std::span<const double> values) {
  SmallSystem small(fixed.cols());
  std::vector<double> slopes(fixed.cols(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t r = 0; r < fixed.cols(); ++r) {
      slopes[r] += fixed(i, r) * values[i];
      for (std::size_t c = 0; c < fixed.cols(); ++c)
        small.matrix(r, c) += fixed(i, r) * fixed(i, c);
    }
  }
  if (!small.factorise()) return 0;
  small.solve(slopes);
  CompensatedSum squares;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double residual = values[i] - dot(fixed.row(i), slopes);
    squares.add(residual * residual);
  }
  return std::sqrt(squares.value() / static_cast<double>(values.size()));
}

TreatmentSlope fit_treatment_slope(const Context& context, const TreatmentData& data) {
  const std::size_t n = data.received.size();
  TreatmentSlope out;
  out.fixed = make_fixed(*data.inputs);
  out.other_reasons.inputs = data.inputs;
  out.other_reasons.groups.assign(data.groups.begin(), data.groups.end());
  out.other_reasons.arms.emplace_back();
  const Matrix<double> design = append_column(out.fixed, data.predicted);
  out.index = regress_logistic(design, data.received);
  std::vector<double> variances;
  Matrix<double> start;
  double inflation = 1;
  for (std::size_t round = 0; round < kSlopeRounds; ++round) {
    const WorkingOutcome working(out.index, data.received);
    if (round < kVarianceRounds) {
      out.converged = learn_reasons(context, data, working, design, variances);
    }
    out.other_reasons.arms[0].group_variances = variances;
    const MixedModel model = make_treatment_model(context, out.other_reasons, working, out.fixed);
    Matrix<double> sides(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      sides(i, 0) = working.outcome[i];
      sides(i, 1) = data.predicted[i];
    }
    const MixedSolution solved = solve_mixed_model(context, model, sides, kSolveTolerance,
                                                   start.rows() > 0 ? &start : nullptr);
    if (!solved.converged) out.converged = false;
    const double information = dot_column(solved.x, 1, data.predicted);
    if (!(information > 0)) {
      out.converged = false;
      break;
    }
    const double before = out.slope;
    out.slope = dot_column(solved.x, 1, working.outcome) / information;
    const double by_model = 1 / std::sqrt(information);
    out.standard_error = by_model;
    if (!data.cluster.empty()) {
      const double by_cluster =
          cluster_error(data, out.fixed, working, solved, out.slope, information);
      out.standard_error = std::max(by_model, by_cluster);
      inflation = std::pow(out.standard_error / by_model, 2);
    }
    for (std::size_t i = 0; i < n; ++i) {
      out.index[i] =
          working.outcome[i] - (solved.x(i, 0) - out.slope * solved.x(i, 1)) * working.noise[i];
    }
    start = solved.x;
    const bool is_stable = std::abs(out.slope - before) < kSlopeTolerance * out.standard_error;
    const bool is_last = round + 1 == kSlopeRounds || (round > 0 && is_stable);
    if (!is_last) continue;
    if (!(std::abs(out.slope - before) < kLargestSlopeChange * out.standard_error)) {
      out.converged = false;
    }
    out.equal_slopes_p = test_equal_slopes(context, model, data.parts, working, inflation);
    out.network_statistic = find_network_statistic(context, model, data, working, inflation);
    break;
  }
  return out;
}

}  // namespace cone
