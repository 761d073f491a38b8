// The learner that DEVELOPING.md shows how to add, so that the page cannot go stale.
#include <gtest/gtest.h>

#include "cone/learn.hpp"

#include "base/numeric.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

class MeanLearner : public Learner {
 public:
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;
};

Nuisances MeanLearner::fit(const Context&, const Dataset& data, const FitPlan& plan) const {
  OutcomeTable table{.mu = Matrix<double>(plan.scored.size(), data.num_arms(), kNaN)};
  for (const FitTask& task : plan.tasks) {
    const std::vector<std::size_t> rows = find_rows(plan.scored, task.score);
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      const double centre =
          mean(values_at(data.outcome, nodes_of_arm(data, task.fit, static_cast<Arm>(a))));
      for (const std::size_t row : rows) table.mu(row, a) = centre;
    }
  }
  Nuisances out;
  out.outcome = std::move(table);
  return out;
}

TEST(ExampleLearner, PredictsTheMeanOfTheArmInTheOtherFolds) {
  const Dataset data = testing::simulate({.nodes = 60}, 3).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Nuisances learnt = MeanLearner().fit(Context(0, 1), data, plan);
  double total = 0;
  double count = 0;
  for (const NodeIndex i : plan.tasks[0].fit) {
    if (data.treatment[i] != 1) continue;
    total += data.outcome[i];
    ++count;
  }
  const std::size_t row = find_rows(plan.scored, plan.tasks[0].score)[0];
  EXPECT_NEAR(learnt.outcome->mu(row, 1), total / count, 1e-12);
}

}  // namespace
}  // namespace cone
