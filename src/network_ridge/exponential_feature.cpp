#include "network_ridge/exponential_feature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"
#include "exec/statistics.hpp"
#include "network_ridge/gathered_arm.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostIndexColumns = 100;
constexpr double kNodesPerColumn = 20;
constexpr std::size_t kMostIndexRows = 50'000;
constexpr double kFewestOfArm = 20;
constexpr double kMostExponent = 5;
constexpr int kMostIndexSteps = 5;
constexpr double kLeastFreedom = 1e-6;
constexpr double kSignificantGain = 3;  // standard errors
constexpr double kNotableGain = 0.05;   // of the squared error
constexpr std::array kRates = {0.2, 0.3,  0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
                               1.1, 1.25, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0};

/// Rows used to find the index, arm by arm.
struct ChosenRows {
  const Communicator& comm;
  std::vector<std::size_t> row;
  std::vector<std::size_t> arm_begin = {0};
  std::vector<double> arm_size;  ///< over all ranks

  std::size_t num_arms() const { return arm_size.size(); }
};

ChosenRows list_rows(std::span<const std::size_t> arm_begin, std::span<const char> is_fitted,
                     const Communicator& comm) {
  ChosenRows out{.comm = comm};
  for (std::size_t a = 0; a + 1 < arm_begin.size(); ++a) {
    for (std::size_t p = arm_begin[a]; p < arm_begin[a + 1]; ++p) {
      if (is_fitted[p] != 0) out.row.push_back(p);
    }
    out.arm_begin.push_back(out.row.size());
    out.arm_size.push_back(static_cast<double>(out.arm_begin[a + 1] - out.arm_begin[a]));
  }
  comm.allreduce(out.arm_size);
  return out;
}

std::vector<double> pick_rows(std::span<const double> values, const ChosenRows& rows) {
  std::vector<double> out;
  out.reserve(rows.row.size());
  for (const std::size_t p : rows.row) out.push_back(values[p]);
  return out;
}

/// By elimination with the largest pivot of the diagonal; a column that depends on others
/// gets 0. `a` is symmetric.
std::vector<double> solve_symmetric(Matrix<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  constexpr double kDependent = 1e-10;
  std::vector<char> used(n, 0);
  std::vector<double> first(n);
  for (std::size_t i = 0; i < n; ++i) first[i] = a(i, i);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t pivot = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (used[i] == 0 && a(i, i) > kDependent * first[i] &&
          (pivot == n || a(i, i) > a(pivot, pivot))) {
        pivot = i;
      }
    }
    if (pivot == n) break;
    used[pivot] = 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == pivot) continue;
      const double factor = a(i, pivot) / a(pivot, pivot);
      for (std::size_t j = 0; j < n; ++j) a(i, j) -= factor * a(pivot, j);
      b[i] -= factor * b[pivot];
    }
  }
  for (std::size_t i = 0; i < n; ++i) b[i] = used[i] != 0 ? b[i] / a(i, i) : 0;
  return b;
}

/// Slopes of the outcome on the columns times a factor per row, with one level per arm. `outcome`
/// and `factor` have one value per chosen row.
std::vector<double> find_slopes(const Matrix<double>& numeric, const ChosenRows& rows,
                                std::span<const double> outcome, std::span<const double> factor) {
  const std::size_t num_columns = numeric.cols();
  Matrix<double> products(num_columns, num_columns);
  std::vector<double> with_outcome(num_columns, 0.0);
  std::vector<double> centred(num_columns);
  for (std::size_t a = 0; a < rows.num_arms(); ++a) {
    const std::size_t begin = rows.arm_begin[a];
    const std::size_t end = rows.arm_begin[a + 1];
    const double size = rows.arm_size[a];
    std::vector<double> centre(num_columns + 1, 0.0);  // last, of the outcome
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t c = 0; c < num_columns; ++c) {
        centre[c] += factor[k] * numeric(rows.row[k], c) / size;
      }
      centre[num_columns] += outcome[k] / size;
    }
    rows.comm.allreduce(centre);
    const double level = centre[num_columns];
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t c = 0; c < num_columns; ++c) {
        centred[c] = factor[k] * numeric(rows.row[k], c) - centre[c];
      }
      for (std::size_t c = 0; c < num_columns; ++c) {
        with_outcome[c] += centred[c] * (outcome[k] - level);
        for (std::size_t d = 0; d < num_columns; ++d) products(c, d) += centred[c] * centred[d];
      }
    }
  }
  rows.comm.allreduce(products.values());
  rows.comm.allreduce(with_outcome);
  return solve_symmetric(std::move(products), std::move(with_outcome));
}

/// False where the values are constant.
bool standardise_values(std::vector<double>& values, const Communicator& comm) {
  const double centre = mean(values, comm);
  const double sd = std::sqrt(variance(values, 0, comm));
  if (!(sd > 1e-10 * (std::abs(centre) + sd)) || !std::isfinite(sd)) return false;
  for (double& v : values) v = (v - centre) / sd;
  return true;
}

/// Regressions of the outcome on the index and its exponential, one per arm with a level.
struct IndexFit {
  std::vector<double> squares;   // leave-one-out, one per chosen row; 0 in arms of few rows
  std::vector<double> residual;  // one per chosen row
  std::vector<double> slope;     // of the outcome in the index, one per chosen row
};

/// `rate` 0: on the index alone.
IndexFit fit_index(const ChosenRows& rows, std::span<const double> index, double rate,
                   std::span<const double> outcome) {
  const std::size_t width = rate == 0 ? 2 : 3;
  const std::size_t size = rows.row.size();
  IndexFit out{.squares = std::vector<double>(size, 0.0),
               .residual = std::vector<double>(size, 0.0),
               .slope = std::vector<double>(size, 0.0)};
  std::vector<double> x(width, 1.0);
  const auto set_row = [&](std::size_t k) {
    x[1] = index[rows.row[k]];
    if (rate != 0) x[2] = std::exp(rate * x[1]);
  };
  for (std::size_t a = 0; a < rows.num_arms(); ++a) {
    if (rows.arm_size[a] < kFewestOfArm) continue;
    Matrix<double> products(width, width);
    std::vector<double> with_outcome(width, 0.0);
    for (std::size_t k = rows.arm_begin[a]; k < rows.arm_begin[a + 1]; ++k) {
      set_row(k);
      for (std::size_t c = 0; c < width; ++c) {
        with_outcome[c] += x[c] * outcome[k];
        for (std::size_t d = 0; d < width; ++d) products(c, d) += x[c] * x[d];
      }
    }
    rows.comm.allreduce(products.values());
    rows.comm.allreduce(with_outcome);
    const std::vector<double> slopes = solve_symmetric(products, with_outcome);
    Matrix<double> inverse(width, width);
    for (std::size_t c = 0; c < width; ++c) {
      std::vector<double> unit(width, 0.0);
      unit[c] = 1;
      std::ranges::copy(solve_symmetric(products, std::move(unit)), inverse.row(c).begin());
    }
    for (std::size_t k = rows.arm_begin[a]; k < rows.arm_begin[a + 1]; ++k) {
      set_row(k);
      double leverage = 0;
      for (std::size_t c = 0; c < width; ++c) leverage += x[c] * dot(inverse.row(c), x);
      out.residual[k] = outcome[k] - dot(x, slopes);
      out.slope[k] = slopes[1] + (rate != 0 ? slopes[2] * rate * x[2] : 0);
      const double error = out.residual[k] / std::max(1 - leverage, kLeastFreedom);
      out.squares[k] = error * error;
    }
  }
  return out;
}

/// The index of some slopes, and the rate of its exponential that has the least held-out error.
struct ExponentialIndex {
  std::vector<double> index;  // one per row, standardised
  double rate = 0;
  IndexFit fit;
  double error = std::numeric_limits<double>::infinity();
};

/// None where the index is constant.
std::optional<ExponentialIndex> choose_rate(const Matrix<double>& numeric, const ChosenRows& rows,
                                            std::span<const double> slopes,
                                            std::span<const double> outcome) {
  ExponentialIndex best;
  std::vector<double> index;
  index.reserve(numeric.rows());
  for (std::size_t p = 0; p < numeric.rows(); ++p) index.push_back(dot(numeric.row(p), slopes));
  if (!standardise_values(index, rows.comm)) return std::nullopt;
  double largest = 0;
  for (const double s : index) largest = std::max(largest, std::abs(s));
  largest = rows.comm.allreduce_max(largest);
  for (const double sign : {1.0, -1.0}) {
    for (const double rate : kRates) {
      if (rate * largest > kMostExponent) break;
      IndexFit fit = fit_index(rows, index, sign * rate, outcome);
      const double error = mean(fit.squares, rows.comm);
      if (!(error < best.error)) continue;
      best.rate = sign * rate;
      best.fit = std::move(fit);
      best.error = error;
    }
  }
  best.index = std::move(index);
  return best;
}

}  // namespace

std::optional<std::vector<double>> make_exponential_feature(const Matrix<double>& numeric,
                                                            std::span<const std::size_t> arm_begin,
                                                            std::span<const double> outcome,
                                                            std::span<const char> is_fitted,
                                                            const Communicator& comm) {
  const std::size_t num_columns = numeric.cols();
  if (num_columns == 0 || num_columns > kMostIndexColumns) return std::nullopt;
  const ChosenRows rows = list_rows(arm_begin, is_fitted, comm);
  if (sum(rows.arm_size) < kNodesPerColumn * static_cast<double>(num_columns)) return std::nullopt;
  std::vector<double> y = pick_rows(outcome, rows);
  // Squares of large outcomes would overflow.
  if (!standardise_values(y, comm)) return std::nullopt;
  const std::vector<double> ones(y.size(), 1.0);
  std::vector<double> slopes = find_slopes(numeric, rows, y, ones);
  std::optional<ExponentialIndex> best = choose_rate(numeric, rows, slopes, y);
  if (!best) return std::nullopt;
  const std::vector<double> linear = fit_index(rows, best->index, 0, y).squares;
  // Least squares in the outcome's curved mean, by Gauss–Newton steps while they help.
  for (int step = 0; step < kMostIndexSteps && best->rate != 0; ++step) {
    const std::vector<double> change =
        find_slopes(numeric, rows, best->fit.residual, best->fit.slope);
    const std::vector<double> own = find_slopes(numeric, rows, pick_rows(best->index, rows), ones);
    for (std::size_t c = 0; c < num_columns; ++c) slopes[c] = own[c] + change[c];
    std::optional<ExponentialIndex> next = choose_rate(numeric, rows, slopes, y);
    if (!next || !(next->error < best->error)) break;
    best = std::move(next);
  }
  if (best->rate == 0) return std::nullopt;
  if (!(best->error < (1 - kNotableGain) * mean(linear, comm))) return std::nullopt;
  // Of absolute errors: a few of the squared ones are most of their sum.
  std::vector<double> gain;
  gain.reserve(linear.size());
  for (std::size_t k = 0; k < linear.size(); ++k) {
    gain.push_back(std::sqrt(linear[k]) - std::sqrt(best->fit.squares[k]));
  }
  if (!(mean(gain, comm) > kSignificantGain * standard_error(gain, comm))) return std::nullopt;
  std::vector<double> feature;
  feature.reserve(best->index.size());
  for (const double s : best->index) feature.push_back(std::exp(best->rate * s));
  if (!standardise_values(feature, comm)) return std::nullopt;
  return feature;
}

void append_exponential_feature(const Dataset& data, const FitPlan& plan, RidgeInputs& inputs) {
  const std::size_t n = inputs.num_nodes();
  std::vector<double> outcome;
  outcome.reserve(n);
  for (const NodeIndex node : inputs.node_at) outcome.push_back(data.outcome[node]);
  std::vector<char> is_fitted(n, 0);
  std::vector<std::uint64_t> hash;
  for (const FitTask& task : plan.tasks) {
    for (const NodeIndex node : task.fit) {
      char& is_chosen = is_fitted[inputs.position_of[node]];
      if (is_chosen == 0) hash.push_back(data.hash_of(node));
      is_chosen = 1;
    }
  }
  if (inputs.comm->count(hash.size()) > kMostIndexRows) {
    const std::uint64_t limit = find_hash_limit(*inputs.comm, std::move(hash), kMostIndexRows);
    for (std::size_t p = 0; p < n; ++p) {
      if (data.hash_of(inputs.node_at[p]) > limit) is_fitted[p] = 0;
    }
  }
  const std::optional<std::vector<double>> feature =
      make_exponential_feature(inputs.numeric, inputs.arm_begin, outcome, is_fitted, *inputs.comm);
  if (!feature) return;
  const Matrix<double>& before = inputs.numeric;
  Matrix<double> extended(n, before.cols() + 1);
  for (std::size_t p = 0; p < n; ++p) {
    std::ranges::copy(before.row(p), extended.row(p).begin());
    extended(p, before.cols()) = (*feature)[p];
  }
  inputs.numeric = std::move(extended);
}

}  // namespace cone
