#include "distributed/rank_model.hpp"

#include <algorithm>
#include <numeric>

#include "base/numeric.hpp"

namespace cone::distributed {
namespace {

/// The rows of the arm; zero elsewhere.
Matrix<double> take_arm_rows(const LocalData& local, const Matrix<double>& x, std::size_t arm) {
  Matrix<double> out(x.rows(), x.cols());
  for (std::size_t p = local.arm_begin[arm]; p < local.arm_begin[arm + 1]; ++p) {
    std::ranges::copy(x.row(p), out.row(p).begin());
  }
  return out;
}

}  // namespace

RankModel::RankModel(const Context& context, const RankSystem& system, const RankSolver& solver)
    : system_(system), solver_(solver) {
  predict(context);
  measure_noise();
}

void RankModel::predict(const Context& context) {
  const LocalData& local = system_.local;
  const std::size_t width = system_.num_tasks;
  Matrix<double> f(local.size(), width);
  for (std::size_t p = 0; p < local.size(); ++p) {
    const ArmModel& arm = system_.arms[local.arm_of(p)];
    for (std::size_t t = 0; t < width; ++t) {
      f(p, t) = system_.learns(p, t) ? (local.outcome[p] - arm.mean) / arm.sd : 0.0;
    }
  }
  std::vector<std::size_t> tasks(width);
  std::iota(tasks.begin(), tasks.end(), std::size_t{0});
  const StageScope stage(context, "predictions", 0.2, 0.5);
  const RidgeSolution solution =
      solver_.solve(context, f, Matrix<double>(local.num_arms() * kFixed, width), tasks);
  iterations_ = solution.iterations;
  converged_ = solution.converged;
  mu_ = Matrix<double>(local.size(), local.num_arms());
  for (std::size_t a = 0; a < local.num_arms(); ++a) {
    const Matrix<double> reached =
        multiply_kernel(context, system_, a, take_arm_rows(local, solution.x, a));
    for (std::size_t p = 0; p < local.size(); ++p) {
      const auto t = static_cast<std::size_t>(local.fold[p]);
      double value = reached(p, t);
      for (std::size_t c = 0; c < kFixed; ++c) {
        value += system_.fixed_effect(p, c) * solution.lambda(a * kFixed + c, t);
      }
      mu_(p, a) = system_.arms[a].mean + system_.arms[a].sd * value;
    }
  }
}

void RankModel::measure_noise() {
  const LocalData& local = system_.local;
  noise_ = Matrix<double>(local.size(), local.num_arms());
  for (std::size_t a = 0; a < local.num_arms(); ++a) {
    std::vector<double> residual;
    std::vector<double> degree;
    for (std::size_t p = local.arm_begin[a]; p < local.arm_begin[a + 1]; ++p) {
      residual.push_back(local.outcome[p] - mu_(p, a));
      degree.push_back(local.relative_degree[p]);
    }
    residual_.push_back(fit_residual_variance(residual, degree, system_.comm));
    for (std::size_t p = 0; p < local.size(); ++p) {
      noise_(p, a) = residual_[a].at(local.relative_degree[p]);
    }
  }
}

std::vector<std::vector<double>> RankModel::solve_weights(const Context& context,
                                                          std::span<const Matrix<double>> policies,
                                                          bool& converged) const {
  const LocalData& local = system_.local;
  const std::size_t num_tasks = system_.num_tasks;
  const std::size_t width = policies.size() * num_tasks;
  Matrix<double> f(local.size(), width);
  Matrix<double> g(local.num_arms() * kFixed, width);
  std::vector<std::size_t> tasks;
  for (std::size_t k = 0; k < width; ++k) tasks.push_back(k % num_tasks);
  for (std::size_t a = 0; a < local.num_arms(); ++a) {
    Matrix<double> asked(local.size(), width);  // weight of the prediction at a position
    for (std::size_t p = 0; p < local.size(); ++p) {
      for (std::size_t k = 0; k < policies.size(); ++k) {
        const std::size_t column = k * num_tasks + static_cast<std::size_t>(local.fold[p]);
        asked(p, column) = policies[k](p, a);
        for (std::size_t c = 0; c < kFixed; ++c) {
          g(a * kFixed + c, column) += asked(p, column) * system_.fixed_effect(p, c);
        }
      }
    }
    const Matrix<double> reached = multiply_kernel(context, system_, a, asked);
    for (std::size_t p = local.arm_begin[a]; p < local.arm_begin[a + 1]; ++p) {
      std::ranges::copy(reached.row(p), f.row(p).begin());
    }
  }
  system_.comm.allreduce(g.values());
  const RidgeSolution solution = solver_.solve(context, f, g, tasks);
  converged = solution.converged;
  std::vector<std::vector<double>> weights(policies.size(), std::vector<double>(local.size(), 0.0));
  for (std::size_t p = 0; p < local.size(); ++p) {
    for (std::size_t k = 0; k < width; ++k) weights[k / num_tasks][p] += solution.x(p, k);
  }
  return weights;
}

Matrix<double> RankModel::expect_imbalance(const Context& context,
                                           std::span<const Matrix<double>> policies,
                                           std::span<const std::vector<double>> weights) const {
  const LocalData& local = system_.local;
  const std::size_t count = policies.size();
  const auto n = static_cast<double>(local.global.num_nodes);
  Matrix<double> out(count, count);
  for (std::size_t a = 0; a < local.num_arms(); ++a) {
    Matrix<double> d(local.size(), count);
    for (std::size_t p = 0; p < local.size(); ++p) {
      const bool is_own = local.arm_of(p) == a;
      for (std::size_t k = 0; k < count; ++k) {
        d(p, k) = (is_own ? weights[k][p] : 0.0) - policies[k](p, a);
      }
    }
    const Matrix<double> reached = multiply_kernel(context, system_, a, d);
    const double unit = system_.arms[a].sd * system_.arms[a].sd / (n * n);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t l = 0; l <= k; ++l) {
        CompensatedSum total;
        for (std::size_t p = 0; p < local.size(); ++p) total.add(d(p, k) * reached(p, l));
        out(k, l) += unit * total.value();
      }
    }
  }
  system_.comm.allreduce(out.values());
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t l = 0; l < k; ++l) out(l, k) = out(k, l);
  }
  return out;
}

std::vector<double> RankModel::noise_to_residual_ratio() const {
  const LocalData& local = system_.local;
  std::vector<double> out;
  for (std::size_t a = 0; a < local.num_arms(); ++a) {
    const ArmModel& arm = system_.arms[a];
    std::array<double, 2> sums{};  // noise variance by the likelihood, and by the residuals
    for (std::size_t p = local.arm_begin[a]; p < local.arm_begin[a + 1]; ++p) {
      sums[0] += arm.sd * arm.sd * (arm.noise + arm.noise_growth * local.relative_degree[p]);
      sums[1] += noise_(p, a);
    }
    system_.comm.allreduce(sums);
    out.push_back(sums[1] > 0 ? std::min(1.0, sums[0] / sums[1]) : 1.0);
  }
  return out;
}

std::vector<ImpliedWeights> RankModel::imply_weights(
    const Context& context, std::span<const Matrix<double>> policies) const {
  const LocalData& local = system_.local;
  const StageScope stage(context, "weights of policies", 0.5, 1);
  bool converged = true;
  std::vector<std::vector<double>> weights = solve_weights(context, policies, converged);
  const Matrix<double> imbalance = expect_imbalance(context, policies, weights);
  const std::vector<double> noise_share = noise_to_residual_ratio();
  const auto n = static_cast<double>(local.global.num_nodes);
  std::vector<ImpliedWeights> out(policies.size());
  for (std::size_t k = 0; k < policies.size(); ++k) {
    CompensatedSum fitted;  // Σ ω²σ²
    for (std::size_t p = 0; p < local.size(); ++p) {
      fitted.add(weights[k][p] * weights[k][p] * noise_(p, local.arm_of(p)));
    }
    out[k].variance = system_.comm.allreduce(fitted.value()) / (n * n);
    out[k].weights = std::move(weights[k]);
    out[k].converged = converged;
    out[k].imbalance.assign(imbalance.row(k).begin(), imbalance.row(k).end());
    out[k].noise_share = noise_share;
  }
  return out;
}

}  // namespace cone::distributed
