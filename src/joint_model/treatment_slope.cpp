#include "joint_model/treatment_slope.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.hpp"
#include "data/collective_error.hpp"
#include "estimate/significance.hpp"
#include "exec/statistics.hpp"
#include "joint_model/mixed_model.hpp"
#include "network_ridge/gathered_arm.hpp"
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
  std::vector<std::vector<std::uint32_t>> all(1);
  for (std::uint32_t p = 0; p < inputs.num_nodes(); ++p) all[0].push_back(p);
  return take_fixed(inputs, all[0], choose_fixed(inputs, all));
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
std::vector<double> regress_logistic(const Matrix<double>& design, std::span<const double> received,
                                     const Communicator& comm) {
  constexpr int kSteps = 8;
  const std::size_t width = design.cols();
  const double share = mean(received, comm);
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
    comm.allreduce(small.matrix.values());
    comm.allreduce(slopes);
    if (!small.factorise()) break;
    small.solve(slopes);
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = dot(design.row(i), slopes);
  }
  return index;
}

/// The variances of h, given the noise of the working outcomes; `variances`: of the round before,
/// unless this is the first.
bool learn_reasons(const Context& context, const TreatmentData& data, const WorkingOutcome& working,
                   const Matrix<double>& design, bool is_first, std::vector<double>& variances) {
  if (data.groups.empty()) return true;
  const std::size_t width = design.cols();
  const Communicator& comm = context.comm();
  const Matrix<double> rows =
      data.sample.gather(append_column(append_column(design, working.outcome), working.noise));
  variances.resize(data.groups.size());
  const auto found = run_on_root(comm, [&] {
    ArmSample sample;
    sample.kernels = data.sample.kernels();
    sample.fixed = Matrix<double>(rows.rows(), width);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::copy_n(rows.row(i).begin(), width, sample.fixed.row(i).begin());
      sample.outcome.push_back(rows(i, width));
      sample.known_noise.push_back(rows(i, width + 1));
    }
    std::vector<std::size_t> order(rows.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const Context& alone = data.sample.alone();
    return is_first ? learn_variances(alone, sample, order, kLikelihoodTolerance)
                    : improve_variances(alone, sample, variances, kLikelihoodTolerance);
  });
  if (found) variances = found->variances;
  comm.broadcast(0, variances);
  return comm.any(found && found->converged);
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

double dot_column(const Context& context, const Matrix<double>& table, std::size_t column,
                  std::span<const double> with) {
  CompensatedSum total;
  for (std::size_t i = 0; i < table.rows(); ++i) total.add(table(i, column) * with[i]);
  return context.comm().allreduce(total.value());
}

/// √Σ_c (Σ_{i in c} q_i·u_i)² / q'f, q = Pf and u the residuals on the fixed effects.
double cluster_error(const TreatmentData& data, const Matrix<double>& fixed,
                     const WorkingOutcome& working, const MixedSolution& solved, double slope,
                     double information) {
  std::vector<double> sums(data.num_clusters, 0.0);
  for (std::size_t i = 0; i < working.outcome.size(); ++i) {
    double residual = working.outcome[i] - slope * data.predicted[i];
    for (std::size_t c = 0; c < fixed.cols(); ++c) {
      residual -= fixed(i, c) * (solved.lambda(c, 0) - slope * solved.lambda(c, 1));
    }
    sums[data.cluster[i]] += solved.x(i, 1) * residual;
  }
  data.inputs->comm->allreduce(sums);
  return std::sqrt(dot(sums, sums)) / information;
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
    out.sides.push_back(dot_column(context, solved.x, k, working.outcome));
    for (std::size_t l = 0; l < count; ++l) {
      CompensatedSum total;
      for (std::size_t i = 0; i < parts.rows(); ++i) total.add(solved.x(i, k) * parts(i, l));
      out.information(k, l) = total.value();
    }
  }
  context.comm().allreduce(out.information.values());
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
  if (data.network == nullptr) return 0;
  Matrix<double> both(data.network->size(), 2);
  for (std::size_t i = 0; i < both.rows(); ++i) {
    both(i, 0) = (*data.network)[i];
    both(i, 1) = data.predicted[i] - both(i, 0);
  }
  const PartSlopes found = fit_slopes(context, model, both, working);
  if (found.slopes.empty()) return 0;
  const Matrix<double>& m = found.information;
  const double variance = m(1, 1) / (m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0));
  return found.slopes[0] / std::sqrt(variance * inflation);
}

}  // namespace

TreatmentSample::TreatmentSample(const Context& context, const Dataset& data,
                                 const RidgeSystem& outcomes)
    : comm_(context.comm()), alone_(context) {
  constexpr std::uint64_t kMostNodes = 1500;
  const RidgeInputs& inputs = *outcomes.inputs;
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(inputs.num_nodes_of_all(), kMostNodes));
  alone_ = own_context(context, 1, size);
  std::vector<std::uint32_t> all(inputs.num_nodes());
  std::iota(all.begin(), all.end(), 0U);
  GatheredArm gathered = gather_positions(data, outcomes, all, size, 0);
  own_ = std::move(gathered.sent);
  if (!comm_.is_root()) return;
  const std::vector<std::size_t> order = order_by_hash(gathered.hash);
  std::vector<std::size_t> rank(order.size());
  std::vector<std::uint32_t> positions;
  for (std::size_t k = 0; k < order.size(); ++k) {
    rank[order[k]] = k;
    positions.push_back(gathered.positions[order[k]]);
  }
  for (const std::uint32_t received : gathered.row_of_received) row_.push_back(rank[received]);
  kernels_ = make_kernels(alone_, *gathered.system.inputs, outcomes.groups, positions);
}

Matrix<double> TreatmentSample::gather(const Matrix<double>& table) const {
  std::vector<std::vector<double>> parts(comm_.size());
  for (const std::uint32_t p : own_) {
    parts[0].insert(parts[0].end(), table.row(p).begin(), table.row(p).end());
  }
  parts = comm_.alltoallv(std::move(parts));
  Matrix<double> out(row_.size(), table.cols());
  std::size_t k = 0;
  for (const std::vector<double>& part : parts) {
    for (auto next = part.begin(); next != part.end();
         next += static_cast<std::ptrdiff_t>(table.cols())) {
      std::copy_n(next, table.cols(), out.row(row_[k++]).begin());
    }
  }
  return out;
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

TreatmentSlope fit_treatment_slope(const Context& context, const TreatmentData& data) {
  const std::size_t n = data.received.size();
  TreatmentSlope out;
  out.fixed = make_fixed(*data.inputs);
  out.other_reasons.inputs = data.inputs;
  out.other_reasons.groups.assign(data.groups.begin(), data.groups.end());
  out.other_reasons.arms.emplace_back();
  const Matrix<double> design = append_column(out.fixed, data.predicted);
  out.index = regress_logistic(design, data.received, context.comm());
  std::vector<double> variances;
  Matrix<double> start;
  double inflation = 1;
  for (std::size_t round = 0; round < kSlopeRounds; ++round) {
    const WorkingOutcome working(out.index, data.received);
    if (round < kVarianceRounds) {
      out.converged = learn_reasons(context, data, working, design, round == 0, variances);
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
    const double information = dot_column(context, solved.x, 1, data.predicted);
    if (!(information > 0)) {
      out.converged = false;
      break;
    }
    const double before = out.slope;
    out.slope = dot_column(context, solved.x, 1, working.outcome) / information;
    const double by_model = 1 / std::sqrt(information);
    out.standard_error = by_model;
    if (data.num_clusters > 0) {
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
