#include "evaluate/balanced_log.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "nuisance/encoder_input.hpp"

namespace cone {
namespace {

template <class T>
std::vector<T> values_at(const std::vector<T>& values, std::span<const NodeIndex> nodes) {
  std::vector<T> taken;
  for (const NodeIndex i : nodes) taken.push_back(values[i]);
  return taken;
}

/// A spread below this share of a column's magnitude is single-precision rounding.
constexpr double kRoundingSpread = 1e-5;

/// The nodes' rows, every column with mean 0 and variance 1 over them; constant ones are 0.
Matrix<double> standardised_rows(const Matrix<float>& z, std::span<const NodeIndex> nodes) {
  Matrix<double> rows(nodes.size(), z.cols());
  std::vector<double> column(nodes.size());
  for (std::size_t j = 0; j < z.cols(); ++j) {
    for (std::size_t k = 0; k < nodes.size(); ++k) column[k] = z(nodes[k], j);
    const double centre = mean(column);
    const double sd = std::sqrt(variance(column, 0));
    double largest = 0;
    for (const double value : column) largest = std::max(largest, std::abs(value));
    const bool is_constant = !(sd > kRoundingSpread * largest);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      rows(k, j) = is_constant ? 0 : (column[k] - centre) / sd;
    }
  }
  return rows;
}

}  // namespace

BalancedLog BalancedLog::on_features(const Context& context, const Dataset& data,
                                     std::span<const NodeIndex> scored,
                                     const KernelBalancingOptions& options) {
  const SparseMatrix scaled = encoder_input(data.features);
  BalancedLog log;
  log.scored_.assign(scored.begin(), scored.end());
  log.parts_.push_back({log.scored_, values_at(data.outcome, scored),
                        KernelBalancing(context, scaled.select_rows(scored),
                                        values_at(data.treatment, scored), options)});
  log.parts_.back().balancing.choose_lambda(context, log.parts_.back().outcome);
  return log;
}

BalancedLog BalancedLog::on_representations(const Context& context, const Dataset& data,
                                            const ConeFit& fit,
                                            const KernelBalancingOptions& options) {
  const FitPlan plan = make_plan(context, data, fit.plan, fit.seed);
  const Matrix<float> z = representations(context, data, fit);
  BalancedLog log;
  log.scored_ = plan.scored;
  for (const FitTask& task : plan.tasks) {
    const Matrix<double> rows = standardised_rows(z, task.score);
    log.parts_.push_back({task.score, values_at(data.outcome, task.score),
                          KernelBalancing(context, std::as_const(rows).view(),
                                          values_at(data.treatment, task.score), options)});
    log.parts_.back().balancing.choose_lambda(context, log.parts_.back().outcome);
  }
  return log;
}

BalancedValue BalancedLog::value(const Context& context, std::span<const double> policy) const {
  BalancedValue all;
  all.weights.resize(scored_.size());
  all.influence.resize(scored_.size());
  for (const Part& part : parts_) {
    std::vector<double> probability;
    for (const NodeIndex i : part.nodes) probability.push_back(policy[i]);
    const BalancedValue value = part.balancing.value(context, part.outcome, probability);
    const double share =
        static_cast<double>(part.nodes.size()) / static_cast<double>(scored_.size());
    all.value += share * value.value;
    for (std::size_t k = 0; k < part.nodes.size(); ++k) {
      const auto place = static_cast<std::size_t>(
          std::lower_bound(scored_.begin(), scored_.end(), part.nodes[k]) - scored_.begin());
      all.weights[place] = value.weights[k];
      // Each part is centred at its own value: put the differences between them back.
      all.influence[place] = value.influence[k] + value.value;
    }
  }
  for (double& influence : all.influence) influence -= all.value;
  return all;
}

}  // namespace cone
