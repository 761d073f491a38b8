#include "network_ridge/learn_arm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"
#include "network_ridge/learn_variances.hpp"
#include "network_ridge/small_matrices.hpp"

namespace cone {
namespace {

bool has_same_degrees(const RidgeInputs& inputs, std::span<const std::uint32_t> positions) {
  return std::all_of(positions.begin(), positions.end(), [&](std::uint32_t p) {
    return inputs.degree[p] == inputs.degree[positions.front()];
  });
}

ArmSample take_sample(const NetworkRidgeOptions& options, const GatheredArm& gathered,
                      ArmKernels kernels) {
  const RidgeSystem& system = gathered.system;
  const ArmModel& model = system.arms[gathered.arm];
  const std::span<const std::uint32_t> positions = gathered.positions;
  const RidgeInputs& inputs = *system.inputs;
  ArmSample sample;
  sample.kernels = std::move(kernels);
  sample.noise_grows = inputs.has_edges() && options.ridge_noise == RidgeNoise::kDegree &&
                       !has_same_degrees(inputs, positions);
  sample.fixed = take_fixed(inputs, positions, model.fixed_columns);
  for (const double y : gathered.outcome) sample.outcome.push_back((y - model.mean) / model.sd);
  return sample;
}

void drop_negligible(ArmModel& model) {
  for (double& variance : model.group_variances) {
    if (!(variance > kNegligibleShare * (model.noise + model.noise_growth))) variance = 0;
  }
}

/// Nodes of a sample of a large network hardly share neighbours. Neighbour effects are then not
/// identified from noise (their sum not from noise that grows with the degree), and the likelihood
/// may leave no noise at all: singular equations, and predictions that reproduce the outcomes. So
/// the noise learnt on a sample is at least a tenth of the variance of the neighbour effects; for
/// their sum it is the noise that grows with the degree, unless noise is homoscedastic.
void keep_noise(const RidgeSystem& system, RidgeNoise kind, ArmModel& model) {
  constexpr double kLeastShare = 0.1;
  for (std::size_t g = 0; g < system.groups.size(); ++g) {
    const double least = kLeastShare * model.group_variances[g];
    const bool sums = system.groups[g].kind == GroupKind::kNeighbourEffects;
    if (!sums && system.groups[g].kind != GroupKind::kMeanNeighbourEffects) continue;
    double& noise = sums && kind == RidgeNoise::kDegree ? model.noise_growth : model.noise;
    noise = std::max(noise, least);
  }
  // Groups may have become negligible beside the larger noise, and every group that stays costs
  // passes over the network.
  drop_negligible(model);
}

/// The Gram matrix of the fixed effects over some positions of all ranks.
Matrix<double> multiply_fixed(const RidgeInputs& inputs, std::span<const std::uint32_t> positions) {
  constexpr std::size_t kAll = RidgeSystem::kNumFixed;
  Matrix<double> out(kAll, kAll);
  for (const std::uint32_t p : positions) {
    const auto effect = [&](std::size_t c) {
      return fixed_effect_of(inputs.relative_degree[p], c);
    };
    for (std::size_t r = 0; r < kAll; ++r) {
      for (std::size_t c = 0; c < kAll; ++c) out(r, c) += effect(r) * effect(c);
    }
  }
  inputs.comm->allreduce(out.values());
  return out;
}

}  // namespace

std::vector<std::size_t> choose_fixed(const RidgeInputs& inputs,
                                      std::span<const std::vector<std::uint32_t>> sets) {
  constexpr double kDependent = 1e-10;
  // Slopes estimated from fewer nodes extrapolate wildly at nodes of high degree.
  constexpr double kNodesPerFixed = 8;
  constexpr std::size_t kAll = RidgeSystem::kNumFixed;
  std::vector<Matrix<double>> products;  // one per set
  double fewest = std::numeric_limits<double>::infinity();
  for (const std::vector<std::uint32_t>& set : sets) {
    products.push_back(multiply_fixed(inputs, set));
    fewest = std::min(fewest, products.back()(0, 0));
  }
  std::vector<std::size_t> kept = {0};
  for (std::size_t column = 1; column < kAll; ++column) {
    if (static_cast<double>(kept.size() + 1) * kNodesPerFixed > fewest) break;
    const bool is_new = std::all_of(products.begin(), products.end(), [&](const auto& gram) {
      SmallSystem before(kept.size());
      std::vector<double> side(kept.size());
      for (std::size_t r = 0; r < kept.size(); ++r) {
        side[r] = gram(kept[r], column);
        for (std::size_t c = 0; c < kept.size(); ++c) before.matrix(r, c) = gram(kept[r], kept[c]);
      }
      if (!before.factorise()) return false;
      const std::vector<double> with = side;
      before.solve(side);
      const double residual = gram(column, column) - dot(with, side);
      return residual > kDependent * gram(column, column);
    });
    if (is_new) kept.push_back(column);
  }
  return kept;
}

Matrix<double> take_fixed(const RidgeInputs& inputs, std::span<const std::uint32_t> positions,
                          std::span<const std::size_t> columns) {
  Matrix<double> out(positions.size(), columns.size());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t c = 0; c < out.cols(); ++c) {
      out(i, c) = fixed_effect_of(inputs.relative_degree[positions[i]], columns[c]);
    }
  }
  return out;
}

double residual_sd(const Matrix<double>& fixed, std::span<const double> values,
                   const Communicator& comm) {
  SmallSystem small(fixed.cols());
  std::vector<double> slopes(fixed.cols(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t r = 0; r < fixed.cols(); ++r) {
      slopes[r] += fixed(i, r) * values[i];
      for (std::size_t c = 0; c < fixed.cols(); ++c) {
        small.matrix(r, c) += fixed(i, r) * fixed(i, c);
      }
    }
  }
  comm.allreduce(slopes);
  comm.allreduce(small.matrix.values());
  if (!small.factorise()) return 0;
  small.solve(slopes);
  CompensatedSum squares;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double residual = values[i];
    for (std::size_t r = 0; r < fixed.cols(); ++r) residual -= slopes[r] * fixed(i, r);
    squares.add(residual * residual);
  }
  return std::sqrt(comm.allreduce(squares.value()) / comm.count(values.size()));
}

void adopt_variances(const LearntVariances& learnt, ArmModel& model) {
  const std::size_t num_groups = model.group_variances.size();
  std::copy_n(learnt.variances.begin(), num_groups, model.group_variances.begin());
  model.noise = learnt.variances[num_groups];
  const bool grows = learnt.variances.size() > num_groups + 1;
  model.noise_growth = grows ? learnt.variances[num_groups + 1] : 0;
  model.num_nodes = learnt.num_nodes;
  model.steps = learnt.steps;
  model.converged = learnt.converged;
  drop_negligible(model);
}

ArmKernels learn_gathered_arm(const Context& context, const NetworkRidgeOptions& options,
                              bool is_part, GatheredArm& gathered) {
  RidgeSystem& system = gathered.system;
  ArmModel& model = system.arms[gathered.arm];
  ArmSample sample = take_sample(
      options, gathered, make_kernels(context, *system.inputs, system.groups, gathered.positions));
  const std::vector<std::size_t> order = order_by_hash(gathered.hash);
  adopt_variances(options.ridge_criterion == RidgeCriterion::kLikelihood
                      ? learn_variances(context, sample, order)
                      : cross_validate_variances(context, sample, order),
                  model);
  if (is_part) keep_noise(system, options.ridge_noise, model);
  return std::move(sample.kernels);
}

}  // namespace cone
