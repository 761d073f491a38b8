// Time of sensitivity curves and breakdowns of many policies, after fitting, as JSON.
//   sensitivity_bench NODES ARMS POLICIES LAMBDAS THREADS
#include <chrono>
#include <cstdlib>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "cone/sensitivity.hpp"

#include "base/random.hpp"

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

cone::Matrix<double> draw_shares(cone::Rng& rng, std::size_t n, std::size_t num_arms) {
  cone::Matrix<double> out(n, num_arms);
  for (std::size_t i = 0; i < n; ++i) {
    double total = 0;
    for (double& share : out.row(i)) total += share = 0.2 + rng.uniform();
    for (double& share : out.row(i)) share /= total;
  }
  return out;
}

void run(char** argv) {
  const auto n = static_cast<std::size_t>(std::atoll(argv[1]));
  const auto num_arms = static_cast<std::size_t>(std::atoll(argv[2]));
  const auto num_policies = static_cast<std::size_t>(std::atoll(argv[3]));
  const auto num_lambdas = static_cast<std::size_t>(std::atoll(argv[4]));
  const cone::Context context({.seed = 1, .threads = std::atoi(argv[5])});
  cone::Rng rng(1, cone::Stream::kTest, 0);
  const cone::Matrix<double> e = draw_shares(rng, n, num_arms);
  cone::Matrix<double> mu(n, num_arms);
  for (double& value : mu.values()) value = rng.normal();
  std::vector<cone::Arm> arm;
  std::vector<double> outcome;
  for (std::size_t i = 0; i < n; ++i) {
    arm.push_back(static_cast<cone::Arm>(rng.below(num_arms)));
    outcome.push_back(mu(i, arm[i]) + rng.normal());
  }
  std::vector<cone::Matrix<double>> policies;
  std::vector<cone::Contrast> contrasts;
  for (std::size_t k = 0; k < num_policies; ++k) policies.push_back(draw_shares(rng, n, num_arms));
  for (const cone::Matrix<double>& policy : policies) {
    contrasts.push_back({.policy = policy.view(), .reference = cone::Reference::kLogged});
  }
  const std::vector<double> degree(n, 1.0);

  const auto start = std::chrono::steady_clock::now();
  const cone::LoggedTables tables{arm, outcome, mu.view(), e.view()};
  const cone::MarginalModel model(tables, cone::residual_scale(tables, degree));
  const auto curves =
      cone::trace_bounds(context, model, contrasts, cone::lambda_grid(5, num_lambdas));
  const double curve_seconds = seconds_since(start);
  const auto breakdown_start = std::chrono::steady_clock::now();
  double total = 0;
  for (std::size_t k = 0; k < contrasts.size(); ++k) {
    total +=
        cone::find_breakdown(context, model, contrasts[k], curves[k], 0, 1.96).lambda.value_or(0);
  }
  fmt::print(
      "{{\"nodes\": {}, \"arms\": {}, \"policies\": {}, \"lambdas\": {}, \"threads\": {}, "
      "\"curve_seconds\": {:.4f}, \"breakdown_seconds\": {:.4f}, \"last_upper\": {:.6f}, "
      "\"sum_of_breakdowns\": {:.6f}}}\n",
      n, num_arms, num_policies, num_lambdas, context.num_threads(), curve_seconds,
      seconds_since(breakdown_start), curves.back().back().upper.value, total);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "sensitivity_bench NODES ARMS POLICIES LAMBDAS THREADS\n");
    return 2;
  }
  try {
    run(argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
