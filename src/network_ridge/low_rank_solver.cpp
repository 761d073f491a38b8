#include "network_ridge/low_rank_solver.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "ops/cholesky.hpp"
#include "ops/inverse.hpp"

namespace cone {
namespace {

std::vector<std::uint32_t> list_places(const RidgeInputs& inputs, std::size_t arm) {
  std::vector<std::uint32_t> out(inputs.arm_begin[arm + 1] - inputs.arm_begin[arm]);
  std::iota(out.begin(), out.end(), static_cast<std::uint32_t>(inputs.arm_begin[arm]));
  return out;
}

}  // namespace

FeatureSample sum_over(const Context& context, const RidgeSystem& system, std::size_t arm,
                       std::span<const std::uint32_t> places, std::span<const double> outcome) {
  const OwnFeatures features(*system.inputs, system.groups);
  const std::vector<std::size_t>& fixed = system.arms[arm].fixed_columns;
  FeatureSample out;
  out.first.assign(features.first().begin(), features.first().end());
  for (const RidgeGroup& group : system.groups) out.scale.push_back(group.scale);
  out.num_fixed = fixed.size();
  out.num_nodes = places.size();
  Matrix<double> extra(places.size(), fixed.size() + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t c = 0; c < fixed.size(); ++c) {
      extra(i, c) = system.fixed_effect(places[i], fixed[c]);
    }
    extra(i, fixed.size()) = outcome[places[i] - system.inputs->arm_begin[arm]];
  }
  out.products = sum_products(context, features, places, extra);
  return out;
}

ArmProducts::ArmProducts(const Context& context, const RidgeSystem& system, std::size_t arm,
                         std::span<const double> outcome) {
  std::map<std::vector<char>, std::vector<std::uint32_t>> apart;
  for (const std::uint32_t p : system.places_of_arm(arm)) {
    std::vector<char> learning;
    for (const std::vector<char>& learns : system.learns_from) learning.push_back(learns[p]);
    apart[std::move(learning)].push_back(p);
  }
  for (const auto& [learning, places] : apart) {
    parts_.push_back({learning, sum_over(context, system, arm, places, outcome)});
  }
}

FeatureSample ArmProducts::of_all() const {
  FeatureSample out = parts_.front().sums;
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    const FeatureSample& more = parts_[k].sums;
    out.num_nodes += more.num_nodes;
    for (std::size_t i = 0; i < out.products.values().size(); ++i) {
      out.products.values()[i] += more.products.values()[i];
    }
  }
  return out;
}

Matrix<double> ArmProducts::of_task(std::size_t task) const {
  const std::size_t width = parts_.front().sums.products.rows() - 1;  // without the outcome
  Matrix<double> out(width, width);
  for (const Part& part : parts_) {
    if (part.learning[task] == 0) continue;
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) out(i, j) += part.sums.products(i, j);
    }
  }
  return out;
}

void LowRankSolver::prepare_arm(const Context& context, std::size_t arm,
                                const ArmProducts& products) {
  require(arms_.size() == arm, "network ridge: arms out of order");
  const ArmModel& model = system_.arms[arm];
  std::vector<RidgeGroup> groups;
  std::vector<std::size_t> kept;  // features of these groups, among those of all
  std::vector<double> deviation;
  for (std::size_t g = 0; g < system_.groups.size(); ++g) {
    if (model.group_variances[g] == 0) continue;
    groups.push_back(system_.groups[g]);
    const double sd = std::sqrt(model.group_variances[g] / system_.groups[g].scale);
    for (std::size_t k = products.first()[g]; k < products.first()[g + 1]; ++k) {
      kept.push_back(k);
      deviation.push_back(sd);
    }
  }
  const double noise = system_.noise_at(system_.inputs->arm_begin[arm]);
  ArmFactor out{OwnFeatures(*system_.inputs, groups), std::move(deviation), noise, {}};
  const std::size_t r = kept.size();
  const std::size_t q = model.fixed_columns.size();
  const std::size_t first_fixed = products.first().back();
  for (std::size_t t = 0; t < system_.num_tasks(); ++t) {
    const Matrix<double> sums = products.of_task(t);
    TaskFactor task{.crossed = Matrix<double>(r, q), .system = SmallSystem(q)};
    auto factor = Matrix<double>::unfilled(r, r);
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        factor(i, j) = out.deviation[i] * sums(kept[i], kept[j]) * out.deviation[j];
      }
      factor(i, i) += noise;
      for (std::size_t c = 0; c < q; ++c) {
        task.crossed(i, c) = out.deviation[i] * sums(kept[i], first_fixed + c);
      }
    }
    require_solution(ops::factorise_cholesky(context, factor.view()));
    task.inverse = ops::invert_from_cholesky(context, factor.view());
    task.fixed = ops::multiply(context, task.inverse.view(), task.crossed.view());
    const Matrix<double> explained =
        ops::multiply_transposed(context, task.crossed.view(), task.fixed.view());
    for (std::size_t a = 0; a < q; ++a) {
      for (std::size_t b = 0; b < q; ++b) {
        task.system.matrix(a, b) =
            (sums(first_fixed + a, first_fixed + b) - explained(a, b)) / noise;
      }
    }
    require_solution(task.system.factorise());
    out.tasks.push_back(std::move(task));
  }
  arms_.push_back(std::move(out));
}

void LowRankSolver::solve_arm(const Context& context, std::size_t arm, const Matrix<double>& f,
                              const Matrix<double>& g, std::span<const std::size_t> tasks,
                              RidgeSolution& out) const {
  const ArmFactor& factor = arms_[arm];
  const std::vector<std::size_t>& fixed = system_.arms[arm].fixed_columns;
  const std::vector<std::uint32_t> places = list_places(*system_.inputs, arm);
  const std::size_t width = f.cols();
  const std::size_t r = factor.features.size();
  const auto learns = [&](std::size_t i, std::size_t k) {
    return system_.learns_from[tasks[k]][places[i]] != 0;
  };
  const auto fixed_row = [&](std::size_t c) { return arm * RidgeSystem::kNumFixed + fixed[c]; };
  Matrix<double> sides(places.size(), width);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = 0; k < width; ++k) sides(i, k) = learns(i, k) ? f(places[i], k) : 0.0;
  }
  const Matrix<double> projected = factor.features.project(context, places, sides);
  Matrix<double> lifted(r, width);  // what W is multiplied by, times the deviations
  context.for_each_range(width, 1, [&](std::size_t k, std::size_t) {
    const TaskFactor& task = factor.tasks[tasks[k]];
    std::vector<double> w(r);
    for (std::size_t i = 0; i < r; ++i) w[i] = factor.deviation[i] * projected(i, k);
    std::vector<double> m(r);  // M⁻¹W'f
    for (std::size_t i = 0; i < r; ++i) {
      const std::span<const double> row = task.inverse.row(i);
      double total = 0;
      for (std::size_t j = 0; j < r; ++j) total += row[j] * w[j];
      m[i] = total;
    }
    // λ = (B'C⁻¹B)⁻¹(B'C⁻¹f − g)
    std::vector<double> lambda(fixed.size());
    for (std::size_t c = 0; c < fixed.size(); ++c) {
      double total = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        total += system_.fixed_effect(places[i], fixed[c]) * sides(i, k);
      }
      for (std::size_t i = 0; i < r; ++i) total -= task.crossed(i, c) * m[i];
      lambda[c] = total / factor.noise - g(fixed_row(c), k);
    }
    task.system.solve(lambda);
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t c = 0; c < fixed.size(); ++c) m[i] -= task.fixed(i, c) * lambda[c];
      lifted(i, k) = factor.deviation[i] * m[i];
    }
    for (std::size_t c = 0; c < fixed.size(); ++c) out.lambda(fixed_row(c), k) = lambda[c];
  });
  const Matrix<double> explained = factor.features.expand(context, places, lifted);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      if (!learns(i, k)) continue;
      double left = sides(i, k) - explained(i, k);
      for (const std::size_t c : fixed) {
        left -=
            system_.fixed_effect(places[i], c) * out.lambda(arm * RidgeSystem::kNumFixed + c, k);
      }
      out.x(places[i], k) = left / factor.noise;
    }
  }
}

RidgeSolution LowRankSolver::solve(const Context& context, const Matrix<double>& f,
                                   const Matrix<double>& g,
                                   std::span<const std::size_t> tasks) const {
  require(arms_.size() == system_.arms.size(), "network ridge: an arm was not prepared");
  return solve_twice(context, system_, {f, g}, tasks, [&](const RidgeSides& sides) {
    RidgeSolution out;
    out.x = Matrix<double>(f.rows(), f.cols());
    out.lambda = Matrix<double>(g.rows(), g.cols());
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      solve_arm(context, arm, sides.f, sides.g, tasks, out);
    }
    return out;
  });
}

/// With w the place's row of W, b its fixed effects, k = W·w, T = W'C⁻¹B, s = T'w − b and
/// λ = (B'C⁻¹B)⁻¹s, the terms of posterior_variance.hpp are
///
///   k_ii − k'x − b'λ = τ·w'M⁻¹w + s'λ     |x|² = (k'x − b'λ − |W'x|²)/τ
///   k'x = |w|² − τ·w'M⁻¹w − (T'w)'λ       W'x = w − τM⁻¹w − Tλ
Matrix<double> LowRankSolver::find_variances(const Context& context, std::size_t task,
                                             std::span<const std::uint32_t> places) const {
  constexpr std::size_t kRowsAtATime = 4096;
  constexpr std::size_t kRowsPerPiece = 64;
  Matrix<double> out(places.size(), arms_.size());
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    const ArmFactor& arm = arms_[a];
    const TaskFactor& factor = arm.tasks[task];
    const ArmModel& model = system_.arms[a];
    const std::vector<std::size_t>& fixed = model.fixed_columns;
    const std::size_t r = arm.features.size();
    for (std::size_t first = 0; first < places.size(); first += kRowsAtATime) {
      const auto chosen = places.subspan(first, std::min(kRowsAtATime, places.size() - first));
      Matrix<double> w(chosen.size(), r);
      context.for_each_range(chosen.size(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
        arm.features.copy_rows(chosen, begin, end, w.view());
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t k = 0; k < r; ++k) w(i, k) *= arm.deviation[k];
        }
      });
      const Matrix<double> solved =
          ops::multiply(context, w.view(), factor.inverse.view());  // M⁻¹w
      const Matrix<double> reached = ops::multiply(context, w.view(), factor.fixed.view());  // T'w
      const auto describe = [&](std::size_t i) {
        const std::uint32_t place = chosen[i];
        std::vector<double> lambda(fixed.size());
        std::vector<double> b(fixed.size());
        for (std::size_t c = 0; c < fixed.size(); ++c) {
          b[c] = system_.fixed_effect(place, fixed[c]);
          lambda[c] = reached(i, c) - b[c];
        }
        const std::vector<double> s = lambda;
        factor.system.solve(lambda);
        const double own = dot(w.row(i), w.row(i));
        const double left = arm.noise * dot(w.row(i), solved.row(i));
        double variance = left;
        double weighted = own - left;  // k'x − b'λ
        for (std::size_t c = 0; c < fixed.size(); ++c) {
          variance += s[c] * lambda[c];
          weighted -= (reached(i, c) + b[c]) * lambda[c];
        }
        double squares = 0;  // |W'x|²
        for (std::size_t k = 0; k < r; ++k) {
          double value = w(i, k) - arm.noise * solved(i, k);
          for (std::size_t c = 0; c < fixed.size(); ++c) value -= factor.fixed(k, c) * lambda[c];
          squares += value * value;
        }
        const double growth = model.noise + kNoiseFloor +
                              model.noise_growth * system_.inputs->relative_degree[place] -
                              arm.noise;
        variance += growth * (weighted - squares) / arm.noise;
        out(first + i, a) = std::max(0.0, variance);
      };
      context.for_each_range(chosen.size(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) describe(i);
      });
    }
  }
  return out;
}

}  // namespace cone
