// The strength of the network, with units distributed over ranks.

#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "inference/confounding_strength.hpp"
#include "network_ridge/treatment_ridge.hpp"
#include "support/thread_communicator.hpp"

namespace cone {
namespace {

constexpr std::size_t kArms = 3;

struct ScoredLog {
  LoggedSample sample;
  Matrix<double> features, network;  ///< scores of every arm
  Matrix<double> policy;
  std::vector<double> residual;
};

ScoredLog draw_scored_log(std::size_t n) {
  Rng rng(31, Stream::kTest, 7);
  ScoredLog log{.features = Matrix<double>(n, kArms),
                .network = Matrix<double>(n, kArms),
                .policy = Matrix<double>(n, kArms)};
  log.sample.arms = {"0", "1", "2"};
  for (std::size_t i = 0; i < n; ++i) {
    const double x = rng.normal();
    const double u = rng.normal();
    const double pull = x + u + rng.normal();
    const Arm arm = pull < -0.7 ? 0 : pull < 0.7 ? 1 : 2;
    log.sample.nodes.push_back(static_cast<NodeIndex>(i));
    log.sample.arm.push_back(arm);
    log.residual.push_back(u + rng.normal());
    log.sample.outcome.push_back(log.residual.back());
    for (std::size_t a = 0; a < kArms; ++a) {
      const double side = static_cast<double>(a) - 1;
      log.features(i, a) = side * x;
      log.network(i, a) = side * (x + u);
      log.policy(i, a) = a == i % kArms ? 0.8 : 0.1;
    }
  }
  return log;
}

struct MeasuredStrength {
  NetworkStrength strength;
  double bound = 0;
};

MeasuredStrength measure(const ScoredLog& log) {
  const Communicator& comm = *log.sample.comm;
  const auto predict = [&](const Matrix<double>& scores) {
    return combine_scores(
        log.sample.arm, kArms, [&](Arm arm) { return arm_column(scores.view(), arm); }, comm);
  };
  MeasuredStrength out{measure_strength(log.sample, predict(log.features), predict(log.network),
                                        PropensityBounds::same(0.01, kArms))};
  out.bound = bound_confounding_bias(log.sample, log.policy.view(), log.residual, out.strength)
                  .bound.largest();
  return out;
}

/// The rows of `rank` of three; the second of them has none.
ScoredLog take_part(const ScoredLog& log, std::size_t rank, const Communicator& comm) {
  std::vector<NodeIndex> rows;
  for (std::size_t i = 0; i < log.sample.size(); ++i) {
    if ((i % 3 == 0 ? 0U : 2U) == rank) rows.push_back(static_cast<NodeIndex>(i));
  }
  ScoredLog out{.features = take_rows(log.features.view(), rows),
                .network = take_rows(log.network.view(), rows),
                .policy = take_rows(log.policy.view(), rows)};
  out.sample.arms = log.sample.arms;
  out.sample.comm = &comm;
  for (const NodeIndex i : rows) {
    out.sample.nodes.push_back(static_cast<NodeIndex>(out.sample.nodes.size()));
    out.sample.arm.push_back(log.sample.arm[i]);
    out.sample.outcome.push_back(log.sample.outcome[i]);
    out.residual.push_back(log.residual[i]);
  }
  return out;
}

TEST(SharedStrength, IsThatOfAllRanks) {
  const ScoredLog log = draw_scored_log(900);
  const MeasuredStrength expected = measure(log);
  ASSERT_TRUE(expected.strength.is_clear);
  std::vector<MeasuredStrength> found(3);
  testing::run_on_ranks(3, [&](const Communicator& comm) {
    found[comm.rank()] = measure(take_part(log, comm.rank(), comm));
  });
  for (const MeasuredStrength& of_rank : found) {
    EXPECT_NEAR(of_rank.strength.r_squared_features, expected.strength.r_squared_features, 1e-12);
    EXPECT_NEAR(of_rank.strength.r_squared_network, expected.strength.r_squared_network, 1e-12);
    EXPECT_NEAR(of_rank.strength.added, expected.strength.added, 1e-12);
    EXPECT_NEAR(of_rank.strength.added_upper, expected.strength.added_upper, 1e-12);
    EXPECT_TRUE(of_rank.strength.is_clear);
    EXPECT_NEAR(of_rank.bound, expected.bound, 1e-11);
  }
}

}  // namespace
}  // namespace cone
