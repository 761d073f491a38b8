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

/// Σ value(p) over the positions p of an arm on all ranks.
template <class Value>
double sum_over_arm(const RankSystem& system, std::size_t arm, const Value& value) {
  CompensatedSum total;
  for (std::size_t p = system.local.arm_begin[arm]; p < system.local.arm_begin[arm + 1]; ++p) {
    total.add(value(p));
  }
  return system.comm.allreduce(total.value());
}

std::vector<std::size_t> choose_fixed_effects(const RankSystem& system, std::size_t arm) {
  std::vector<Matrix<double>> products(system.num_tasks, Matrix<double>(kFixed, kFixed));
  for (std::size_t t = 0; t < system.num_tasks; ++t) {
    for (std::size_t p = system.local.arm_begin[arm]; p < system.local.arm_begin[arm + 1]; ++p) {
      if (!system.learns(p, t)) continue;
      for (std::size_t r = 0; r < kFixed; ++r) {
        for (std::size_t c = 0; c < kFixed; ++c) {
          products[t](r, c) += system.fixed_effect(p, r) * system.fixed_effect(p, c);
        }
      }
    }
    system.comm.allreduce(products[t].values());
  }
  return choose_fixed(products);
}

/// The standard deviation of the residuals of the outcomes on the fixed effects: the arm's scale.
double residual_spread(const RankSystem& system, std::size_t arm, const ArmModel& model) {
  const LocalData& local = system.local;
  const std::vector<std::size_t>& kept = model.fixed_columns;
  SmallSystem small(kept.size());
  std::vector<double> slopes(kept.size(), 0.0);
  for (std::size_t p = local.arm_begin[arm]; p < local.arm_begin[arm + 1]; ++p) {
    for (std::size_t r = 0; r < kept.size(); ++r) {
      const double effect = system.fixed_effect(p, kept[r]);
      slopes[r] += effect * (local.outcome[p] - model.mean);
      for (std::size_t c = 0; c < kept.size(); ++c) {
        small.matrix(r, c) += effect * system.fixed_effect(p, kept[c]);
      }
    }
  }
  system.comm.allreduce(slopes);
  system.comm.allreduce(small.matrix.values());
  if (!small.factorise()) return model.sd;
  small.solve(slopes);
  const double squares = sum_over_arm(system, arm, [&](std::size_t p) {
    double residual = local.outcome[p] - model.mean;
    for (std::size_t r = 0; r < kept.size(); ++r) {
      residual -= slopes[r] * system.fixed_effect(p, kept[r]);
    }
    return residual * residual;
  });
  const double sd = std::sqrt(squares / static_cast<double>(local.global.arm_sizes[arm]));
  constexpr double kRounding = 1e-8;  // the fixed effects explain everything
  return sd > kRounding * model.sd ? sd : model.sd;
}

ArmModel describe_arm(const RankSystem& system, std::size_t arm) {
  const LocalData& local = system.local;
  const auto size = static_cast<double>(local.global.arm_sizes[arm]);
  ArmModel model;
  model.mean = sum_over_arm(system, arm, [&](std::size_t p) { return local.outcome[p]; }) / size;
  model.sd = std::sqrt(sum_over_arm(system, arm,
                                    [&](std::size_t p) {
                                      const double d = local.outcome[p] - model.mean;
                                      return d * d;
                                    }) /
                       size);
  model.group_variances.assign(system.groups.size(), 0.0);
  model.noise = 1;
  model.fixed_columns = choose_fixed_effects(system, arm);
  if (model.sd > 0) model.sd = residual_spread(system, arm, model);
  return model;
}

/// The standard deviation of the outcomes of all arms, for an arm with constant outcomes.
double pooled_spread(const RankSystem& system) {
  const LocalData& local = system.local;
  const auto n = static_cast<double>(local.global.num_nodes);
  const double mean = system.comm.allreduce(sum(local.outcome)) / n;
  CompensatedSum squares;
  for (const double y : local.outcome) squares.add((y - mean) * (y - mean));
  const double sd = std::sqrt(system.comm.allreduce(squares.value()) / n);
  return sd > 1e-12 * std::abs(mean) ? sd : 1.0;
}

/// Broadcasts what the root learnt about an arm.
void broadcast(const Communicator& comm, std::size_t root, ArmModel& model,
               LearntVariances& learnt) {
  std::vector<double> message;
  if (comm.rank() == root) {
    message = {model.noise,
               model.noise_growth,
               learnt.likelihood,
               static_cast<double>(learnt.steps),
               learnt.converged ? 1.0 : 0.0,
               static_cast<double>(learnt.num_nodes)};
    message.insert(message.end(), model.group_variances.begin(), model.group_variances.end());
    message.insert(message.end(), learnt.variances.begin(), learnt.variances.end());
  }
  std::vector<std::vector<double>> parts(comm.size());
  if (comm.rank() == root) parts.assign(comm.size(), message);
  message = comm.alltoallv(parts)[root];
  constexpr std::ptrdiff_t kHead = 6;
  const auto groups = static_cast<std::ptrdiff_t>(model.group_variances.size());
  model.noise = message[0];
  model.noise_growth = message[1];
  learnt.likelihood = message[2];
  learnt.steps = static_cast<std::size_t>(message[3]);
  learnt.converged = message[4] != 0;
  learnt.num_nodes = static_cast<std::size_t>(message[5]);
  model.group_variances.assign(message.begin() + kHead, message.begin() + kHead + groups);
  learnt.variances.assign(message.begin() + kHead + groups, message.end());
}

/// Smaller samples take less than a second, and threads take memory.
constexpr std::size_t kThreadedSample = 1000;

}  // namespace

LearntArms learn_arms(const Context& context, const NetworkRidgeOptions& options,
                      std::size_t most_nodes, RankSystem& system) {
  const LocalData& local = system.local;
  const Communicator& comm = system.comm;
  const std::size_t num_arms = local.num_arms();
  LearntArms out{.learnt = std::vector<LearntVariances>(num_arms), .dense = DenseArms(num_arms)};
  std::vector<char> is_learnt(num_arms, 0);
  for (std::size_t a = 0; a < num_arms; ++a) {
    ArmModel model = describe_arm(system, a);
    const std::uint64_t size = local.global.arm_sizes[a];
    const bool is_constant = !(model.sd > 1e-12 * (std::abs(model.mean) + 1e-300));
    if (is_constant) model.sd = pooled_spread(system);
    out.learnt[a].converged = true;
    out.learnt[a].num_nodes = size;
    is_learnt[a] = !is_constant && size >= kFixed + 3 ? 1 : 0;
    if (DenseArms::is_small(local, a, options.ridge_solver, most_nodes)) out.dense.mark_dense(a);
    system.arms.push_back(std::move(model));
  }
  // All samples are sent before any rank learns, so that arms are learnt concurrently.
  std::vector<SampledInputs> samples(num_arms);
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (is_learnt[a] == 0 && !out.dense.has(a)) continue;
    const std::size_t count =
        choose_sample_size(local.global.arm_sizes[a], out.dense.has(a), most_nodes);
    samples[a] = sample_arm(comm, local, a, count, DenseArms::owner(comm, a));
  }
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (comm.rank() != DenseArms::owner(comm, a) || samples[a].positions.empty()) continue;
    const bool is_threaded = samples[a].positions.size() >= kThreadedSample;
    // The other ranks wait in the barrier. Results do not depend on the number of threads.
    const Context busy = is_threaded ? context.widen(comm.count_cores_for(num_arms)) : context;
    const StageScope stage(busy, fmt::format("variances of arm {}", local.global.arms[a]), 0, 0.2);
    RidgeSystem sampled;
    sampled.groups = system.groups;
    sampled.undersmoothing = system.undersmoothing;
    sampled.inputs = std::make_shared<RidgeInputs>(samples[a].inputs);
    LearntArm arm;
    if (is_learnt[a] != 0) {
      arm = learn_sampled_arm(busy, sampled, options,
                              {.positions = samples[a].positions,
                               .outcome = samples[a].outcome,
                               .hash = samples[a].hash,
                               .is_part = samples[a].positions.size() < local.global.arm_sizes[a]},
                              system.arms[a]);
      out.learnt[a] = arm.learnt;
    } else {
      arm.kernels = make_kernels(busy, *sampled.inputs, sampled.groups, samples[a].positions);
    }
    if (out.dense.has(a)) {
      out.dense.prepare(busy, system, a, std::move(samples[a]), arm.kernels);
    }
  }
  comm.barrier();
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (is_learnt[a] == 0) continue;
    broadcast(comm, DenseArms::owner(comm, a), system.arms[a], out.learnt[a]);
  }
  return out;
}

}  // namespace cone::distributed
