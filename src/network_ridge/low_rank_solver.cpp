#include "network_ridge/low_rank_solver.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "network_ridge/small_matrices.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

std::vector<std::uint32_t> list_positions(const RidgeInputs& inputs, std::size_t arm) {
  std::vector<std::uint32_t> out(inputs.arm_begin[arm + 1] - inputs.arm_begin[arm]);
  std::iota(out.begin(), out.end(), static_cast<std::uint32_t>(inputs.arm_begin[arm]));
  return out;
}

}  // namespace

FeatureSample sum_over(const Context& context, const RidgeSystem& system, std::size_t arm,
                       std::span<const std::uint32_t> positions, std::span<const double> outcome) {
  const OwnFeatures features(*system.inputs, system.groups);
  FeatureSample out;
  out.first.assign(features.first().begin(), features.first().end());
  for (const RidgeGroup& group : system.groups) out.scale.push_back(group.scale);
  Matrix<double> extra(positions.size(), 2, 1.0);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    extra(i, 1) = outcome[positions[i] - system.inputs->arm_begin[arm]];
  }
  out.products = sum_products(context, features, positions, extra);
  system.inputs->comm->allreduce(out.products.values());
  return out;
}

ArmProducts::ArmProducts(const Context& context, const RidgeSystem& system, std::size_t arm,
                         std::span<const double> outcome) {
  require(system.arms[arm].fixed_columns.size() == 1,
          "network ridge: the low-rank solver has one fixed effect, the mean");
  std::map<std::string, std::vector<std::uint32_t>> by_tasks;
  for (const std::uint32_t p : system.positions_of_arm(arm)) {
    std::string learning;
    for (const std::vector<char>& learns : system.learns_from) learning.push_back(learns[p]);
    by_tasks[std::move(learning)].push_back(p);
  }
  // Every rank sums over the same sets, of which it may have no position.
  std::string own;
  for (const auto& entry : by_tasks) own += entry.first;
  for (const std::string& sets : system.inputs->comm->allgather(own)) {
    for (std::size_t k = 0; k < sets.size(); k += system.num_tasks()) {
      by_tasks[sets.substr(k, system.num_tasks())];
    }
  }
  for (const auto& [learning, positions] : by_tasks) {
    parts_.push_back({learning, sum_over(context, system, arm, positions, outcome)});
  }
}

template <class Chosen>
FeatureSample ArmProducts::sum_parts(const Chosen& is_chosen) const {
  FeatureSample out = parts_.front().sums;
  std::ranges::fill(out.products.values(), 0.0);
  for (const Part& part : parts_) {
    if (!is_chosen(part)) continue;
    for (std::size_t i = 0; i < out.products.values().size(); ++i) {
      out.products.values()[i] += part.sums.products.values()[i];
    }
  }
  return out;
}

FeatureSample ArmProducts::of_all() const {
  return sum_parts([](const Part&) { return true; });
}

FeatureSample ArmProducts::of_task(std::size_t task) const {
  return sum_parts([task](const Part& part) { return part.learning[task] != 0; });
}

void LowRankSolver::prepare_arm(const Context& context, std::size_t arm,
                                const ArmProducts& products) {
  // A solve loses about as many digits as the condition number has; the second solve restores as
  // many as a solve keeps, which must be some.
  constexpr double kMostCondition = 1e11;
  require(arms_.size() == arm, "network ridge: arms out of order");
  const ArmModel& model = system_.arms[arm];
  const double noise = noise_of_position(model, /*relative_degree=*/0, system_.undersmoothing);
  std::vector<RidgeGroup> groups;
  for (std::size_t g = 0; g < system_.groups.size(); ++g) {
    if (model.group_variances[g] > 0) groups.push_back(system_.groups[g]);
  }
  ArmFactor out{OwnFeatures(*system_.inputs, groups), {}, noise, {}};
  for (std::size_t t = 0; t < system_.num_tasks(); ++t) {
    const FeatureSample sums = products.of_task(t);
    std::vector<std::size_t> kept;  // features of the groups with positive variance, among all
    out.deviation.clear();
    for (std::size_t g = 0; g < system_.groups.size(); ++g) {
      if (!(model.group_variances[g] > 0)) continue;
      for (std::size_t k = sums.first[g]; k < sums.first[g + 1]; ++k) {
        kept.push_back(k);
        out.deviation.push_back(std::sqrt(model.group_variances[g] / sums.scale[g]));
      }
    }
    const std::size_t r = kept.size();
    TaskFactor task{.num_positions = sums.num_nodes()};
    auto factor = Matrix<double>::unfilled(r, r);
    double trace = 0;
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        factor(i, j) = out.deviation[i] * sums.centred(kept[i], kept[j]) * out.deviation[j];
      }
      trace += factor(i, i);
      factor(i, i) += noise;
      task.mean.push_back(out.deviation[i] * sums.mean(kept[i]));
    }
    is_accurate_ = is_accurate_ && trace < kMostCondition * noise &&
                   ops::factorise_cholesky(context, factor.view());
    if (!is_accurate_) break;
    task.factor = std::move(factor);
    out.tasks.push_back(std::move(task));
  }
  arms_.push_back(std::move(out));
  equations_.push_back(std::make_unique<ArmEquations>(context, system_, arm));
}

/// With w the features times the standard deviations of their effects, w̄ their mean and f̄ that of
/// f over the positions that the task learns from:
///
///   h = W'x = M⁻¹(Σ w·(f − f̄) + τ·g·w̄)    λ = f̄ − w̄'h − τg/n    x = (f − w'h − λ)/τ
void LowRankSolver::solve_arm(const Context& context, std::size_t arm, const Matrix<double>& f,
                              const Matrix<double>& g, std::span<const std::size_t> tasks,
                              RidgeSolution& out) const {
  const ArmFactor& factor = arms_[arm];
  const std::vector<std::uint32_t> positions = list_positions(*system_.inputs, arm);
  const std::size_t width = f.cols();
  const std::size_t r = factor.features.size();
  const std::size_t fixed_row = arm * RidgeSystem::kNumFixed;
  const auto learns = [&](std::size_t i, std::size_t k) {
    return system_.learns_from[tasks[k]][positions[i]] != 0;
  };
  Matrix<double> sides(positions.size(), width);
  std::vector<double> means(width);
  for (std::size_t k = 0; k < width; ++k) {
    CompensatedSum total;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (learns(i, k)) total.add(f(positions[i], k));
    }
    means[k] = total.value();
  }
  const Communicator& comm = *system_.inputs->comm;
  comm.allreduce(means);
  for (std::size_t k = 0; k < width; ++k) {
    means[k] /= factor.tasks[tasks[k]].num_positions;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      sides(i, k) = learns(i, k) ? f(positions[i], k) - means[k] : 0.0;
    }
  }
  Matrix<double> projected = factor.features.project(context, positions, sides);
  comm.allreduce(projected.values());
  Matrix<double> lifted(r, width);  // h, times the deviations
  context.for_each_range(width, 1, [&](std::size_t k, std::size_t) {
    const TaskFactor& task = factor.tasks[tasks[k]];
    const double wanted = g(fixed_row, k);
    std::vector<double> side(r);
    for (std::size_t i = 0; i < r; ++i) {
      side[i] = factor.deviation[i] * projected(i, k) + factor.noise * wanted * task.mean[i];
    }
    solve_lower(task.factor, side);  // h
    const double explained = dot(task.mean, side);
    for (std::size_t i = 0; i < r; ++i) lifted(i, k) = factor.deviation[i] * side[i];
    out.lambda(fixed_row, k) = means[k] - explained - factor.noise * wanted / task.num_positions;
  });
  const Matrix<double> explained = factor.features.expand(context, positions, lifted);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      if (!learns(i, k)) continue;
      out.x(positions[i], k) =
          (f(positions[i], k) - explained(i, k) - out.lambda(fixed_row, k)) / factor.noise;
    }
  }
}

RidgeSolution LowRankSolver::solve(const Context& context, const Matrix<double>& f,
                                   const Matrix<double>& g,
                                   std::span<const std::size_t> tasks) const {
  require(arms_.size() == system_.arms.size(), "network ridge: an arm has not been prepared");
  return solve_twice(context, equations_, {f, g}, tasks, [&](const RidgeSides& sides) {
    RidgeSolution out;
    out.x = Matrix<double>(f.rows(), f.cols());
    out.lambda = Matrix<double>(g.rows(), g.cols());
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      solve_arm(context, arm, sides.f, sides.g, tasks, out);
    }
    return out;
  });
}

/// With d the position's row of features times the standard deviations of their effects, less w̄,
/// the terms of posterior_variance.hpp are
///
///   k_ii − k'x − λ = τ·d'M⁻¹d + τ/n       |x|² = 1/n + d'M⁻¹d − τ·|M⁻¹d|²
Matrix<double> LowRankSolver::find_variances(const Context& context, std::size_t task,
                                             std::span<const std::uint32_t> positions) const {
  constexpr std::size_t kRowsAtATime = 4096;
  constexpr std::size_t kRowsPerPiece = 64;
  Matrix<double> out(positions.size(), arms_.size());
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    const ArmFactor& arm = arms_[a];
    const TaskFactor& factor = arm.tasks[task];
    const std::size_t r = arm.features.size();
    const double growth = system_.arms[a].noise + kNoiseFloor - arm.noise;  // N − N_u
    const Matrix<double> inverse = ops::invert_from_cholesky(context, factor.factor.view());
    for (std::size_t first = 0; first < positions.size(); first += kRowsAtATime) {
      const auto chosen =
          positions.subspan(first, std::min(kRowsAtATime, positions.size() - first));
      Matrix<double> d(chosen.size(), r);
      const auto fill = [&](std::size_t begin, std::size_t end) {
        arm.features.copy_rows(chosen, begin, end, d.view());
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t k = 0; k < r; ++k) d(i, k) = arm.deviation[k] * d(i, k) - factor.mean[k];
        }
      };
      context.for_each_range(chosen.size(), kRowsPerPiece, fill);
      const Matrix<double> solved = ops::multiply(context, d.view(), inverse.view());
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const double square = dot(d.row(i), solved.row(i));
        const double weights =
            1 / factor.num_positions + square - arm.noise * dot(solved.row(i), solved.row(i));
        out(first + i, a) =
            std::max(0.0, arm.noise * (square + 1 / factor.num_positions) + growth * weights);
      }
    }
  }
  return out;
}

}  // namespace cone
