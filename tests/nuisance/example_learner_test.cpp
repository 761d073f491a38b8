// The learner that DEVELOPING.md shows how to add, so that the page cannot go stale.
#include <gtest/gtest.h>

#include "cone/learn.hpp"

#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

class MeanLearner : public cone::Learner {
 public:
  cone::Nuisances fit(const cone::Context&, const cone::Dataset& data,
                      const cone::FitPlan& plan) const override {
    cone::OutcomeTable table{.mu = cone::Matrix<double>(plan.scored.size(), data.num_arms())};
    for (const cone::FitTask& task : plan.tasks) {  // one per fold
      for (std::size_t a = 0; a < data.num_arms(); ++a) {
        double sum = 0;
        const auto members = cone::nodes_of_arm(data, task.fit, static_cast<cone::Arm>(a));
        for (const cone::NodeIndex i : members) sum += data.outcome[i];
        for (const std::size_t row : cone::find_rows(plan.scored, task.score)) {
          table.mu(row, a) = sum / static_cast<double>(members.size());
        }
      }
    }
    cone::Nuisances out;
    out.outcome = std::move(table);
    return out;
  }
};

TEST(ExampleLearner, PredictsTheMeanOfTheArmInTheOtherFolds) {
  const Dataset data = testing::simulate({.nodes = 60}, 3).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Nuisances learnt = MeanLearner().fit(Context({.threads = 1}), data, plan);
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
