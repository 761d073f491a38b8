#include "distributed/rank_variances.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "distributed/sampled_inputs.hpp"
#include "network_ridge/learn_arm.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/small_matrices.hpp"

namespace cone::distributed {
namespace {

/// Σ of something over the positions of an arm on all ranks.
template <class Value>
double sum_over_arm(const RankSystem& system, std::size_t arm, const Value& value) {
  CompensatedSum total;
  for (std::size_t p = system.share.arm_begin[arm]; p < system.share.arm_begin[arm + 1]; ++p) {
    total.add(value(p));
  }
  return system.ranks.allreduce(total.value());
}

std::vector<std::size_t> choose_fixed_together(const RankSystem& system, std::size_t arm) {
  std::vector<Matrix<double>> products(system.num_tasks, Matrix<double>(kFixed, kFixed));
  for (std::size_t t = 0; t < system.num_tasks; ++t) {
    for (std::size_t p = system.share.arm_begin[arm]; p < system.share.arm_begin[arm + 1]; ++p) {
      if (!system.learns(p, t)) continue;
      for (std::size_t r = 0; r < kFixed; ++r) {
        for (std::size_t c = 0; c < kFixed; ++c) {
          products[t](r, c) += system.fixed_effect(p, r) * system.fixed_effect(p, c);
        }
      }
    }
    system.ranks.allreduce(products[t].values());
  }
  return choose_fixed(products);
}

/// The standard deviation of what the fixed effects leave of the outcomes: the unit of the arm.
double spread_left(const RankSystem& system, std::size_t arm, const ArmModel& model) {
  const Share& share = system.share;
  const std::vector<std::size_t>& kept = model.fixed_columns;
  SmallSystem small(kept.size());
  std::vector<double> slopes(kept.size(), 0.0);
  for (std::size_t p = share.arm_begin[arm]; p < share.arm_begin[arm + 1]; ++p) {
    for (std::size_t r = 0; r < kept.size(); ++r) {
      const double effect = system.fixed_effect(p, kept[r]);
      slopes[r] += effect * (share.outcome[p] - model.mean);
      for (std::size_t c = 0; c < kept.size(); ++c) {
        small.matrix(r, c) += effect * system.fixed_effect(p, kept[c]);
      }
    }
  }
  system.ranks.allreduce(slopes);
  system.ranks.allreduce(small.matrix.values());
  if (!small.factorise()) return model.sd;
  small.solve(slopes);
  const double squares = sum_over_arm(system, arm, [&](std::size_t p) {
    double left = share.outcome[p] - model.mean;
    for (std::size_t r = 0; r < kept.size(); ++r) {
      left -= slopes[r] * system.fixed_effect(p, kept[r]);
    }
    return left * left;
  });
  const double sd = std::sqrt(squares / static_cast<double>(share.whole.arm_sizes[arm]));
  constexpr double kRounding = 1e-8;  // the fixed effects explain everything
  return sd > kRounding * model.sd ? sd : model.sd;
}

ArmModel describe_arm(const RankSystem& system, std::size_t arm) {
  const Share& share = system.share;
  const auto size = static_cast<double>(share.whole.arm_sizes[arm]);
  ArmModel model;
  model.mean = sum_over_arm(system, arm, [&](std::size_t p) { return share.outcome[p]; }) / size;
  model.sd = std::sqrt(sum_over_arm(system, arm,
                                    [&](std::size_t p) {
                                      const double d = share.outcome[p] - model.mean;
                                      return d * d;
                                    }) /
                       size);
  model.group_variances.assign(system.groups.size(), 0.0);
  model.noise = 1;
  model.fixed_columns = choose_fixed_together(system, arm);
  if (model.sd > 0) model.sd = spread_left(system, arm, model);
  return model;
}

/// The spread of the outcomes of all arms, for an arm that has none of its own.
double pooled_spread(const RankSystem& system) {
  const Share& share = system.share;
  const auto n = static_cast<double>(share.whole.num_nodes);
  const double mean = system.ranks.allreduce(sum(share.outcome)) / n;
  CompensatedSum squares;
  for (const double y : share.outcome) squares.add((y - mean) * (y - mean));
  const double sd = std::sqrt(system.ranks.allreduce(squares.value()) / n);
  return sd > 1e-12 * std::abs(mean) ? sd : 1.0;
}

/// What one rank learnt, for all: numbers in a row.
void broadcast(const Ranks& ranks, std::size_t root, ArmModel& model, LearntVariances& learnt) {
  std::vector<double> told;
  if (ranks.rank() == root) {
    told = {model.noise,
            model.noise_growth,
            learnt.likelihood,
            static_cast<double>(learnt.steps),
            learnt.converged ? 1.0 : 0.0,
            static_cast<double>(learnt.num_nodes)};
    told.insert(told.end(), model.group_variances.begin(), model.group_variances.end());
    told.insert(told.end(), learnt.variances.begin(), learnt.variances.end());
  }
  std::vector<std::vector<double>> parts(ranks.size());
  if (ranks.rank() == root) parts.assign(ranks.size(), told);
  told = ranks.exchange(parts)[root];
  constexpr std::ptrdiff_t kHead = 6;
  const auto groups = static_cast<std::ptrdiff_t>(model.group_variances.size());
  model.noise = told[0];
  model.noise_growth = told[1];
  learnt.likelihood = told[2];
  learnt.steps = static_cast<std::size_t>(told[3]);
  learnt.converged = told[4] != 0;
  learnt.num_nodes = static_cast<std::size_t>(told[5]);
  model.group_variances.assign(told.begin() + kHead, told.begin() + kHead + groups);
  learnt.variances.assign(told.begin() + kHead + groups, told.end());
}

/// Fewer nodes take less than a second, and threads take memory.
constexpr std::size_t kLongSample = 1000;

}  // namespace

LearntTogether learn_together(const Context& context, const NetworkRidgeOptions& options,
                              std::size_t most_nodes, RankSystem& system) {
  const Share& share = system.share;
  const Ranks& ranks = system.ranks;
  const std::size_t num_arms = share.num_arms();
  LearntTogether out{.learnt = std::vector<LearntVariances>(num_arms),
                     .dense = DenseArms(num_arms)};
  std::vector<char> is_taught(num_arms, 0);
  for (std::size_t a = 0; a < num_arms; ++a) {
    ArmModel model = describe_arm(system, a);
    const std::uint64_t size = share.whole.arm_sizes[a];
    const bool is_constant = !(model.sd > 1e-12 * (std::abs(model.mean) + 1e-300));
    if (is_constant) model.sd = pooled_spread(system);
    out.learnt[a].converged = true;
    out.learnt[a].num_nodes = size;
    is_taught[a] = !is_constant && size >= kFixed + 3 ? 1 : 0;
    if (DenseArms::is_small(share, a, options.ridge_solver, most_nodes)) out.dense.announce(a);
    system.arms.push_back(std::move(model));
  }
  // All samples are on their way before anyone learns, so that arms learn side by side.
  std::vector<SampledInputs> samples(num_arms);
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (is_taught[a] == 0 && !out.dense.has(a)) continue;
    const std::size_t count =
        choose_sample_size(share.whole.arm_sizes[a], out.dense.has(a), most_nodes);
    samples[a] = sample_arm(ranks, share, a, count, DenseArms::owner(ranks, a));
  }
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (ranks.rank() != DenseArms::owner(ranks, a) || samples[a].positions.empty()) continue;
    const bool is_long = samples[a].positions.size() >= kLongSample;
    // The others sleep meanwhile. How many threads there are changes no digit.
    const Context busy = is_long ? context.widen(ranks.count_cores_for(num_arms)) : context;
    const StageScope stage(busy, fmt::format("variances of arm {}", share.whole.arms[a]), 0, 0.2);
    RidgeSystem alone;
    alone.groups = system.groups;
    alone.undersmoothing = system.undersmoothing;
    alone.inputs = std::make_shared<RidgeInputs>(samples[a].inputs);
    LearntArm arm;
    if (is_taught[a] != 0) {
      arm = learn_sampled_arm(busy, alone, options,
                              {.positions = samples[a].positions,
                               .outcome = samples[a].outcome,
                               .hash = samples[a].hash,
                               .is_part = samples[a].positions.size() < share.whole.arm_sizes[a]},
                              system.arms[a]);
      out.learnt[a] = arm.learnt;
    } else {
      arm.kernels = make_kernels(busy, *alone.inputs, alone.groups, samples[a].positions);
    }
    if (out.dense.has(a)) {
      out.dense.prepare(busy, system, a, std::move(samples[a]), arm.kernels);
    }
  }
  ranks.wait_quietly();
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (is_taught[a] == 0) continue;
    broadcast(ranks, DenseArms::owner(ranks, a), system.arms[a], out.learnt[a]);
  }
  return out;
}

}  // namespace cone::distributed
