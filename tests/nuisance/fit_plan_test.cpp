#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "data/split.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

std::vector<NodeIndex> joined(std::vector<NodeIndex> a, const std::vector<NodeIndex>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

TEST(CrossFitPlan, ScoresEveryNodeOnceByAModelOfAllOthersFolds) {
  const Dataset data = testing::simulate({.nodes = 103}, 1).data;
  const FitPlan plan = cross_fit_plan(data, 5, 3, 7);
  EXPECT_NO_THROW(require_valid(plan, 103));
  ASSERT_EQ(plan.tasks.size(), 5U);
  ASSERT_EQ(plan.scored.size(), 103U);
  for (const FitTask& task : plan.tasks) {
    EXPECT_EQ(joined(task.fit, task.score), plan.scored);
    ASSERT_EQ(task.selection.size(), 3U);
    std::vector<NodeIndex> selected;
    for (const SelectionSplit& split : task.selection) {
      EXPECT_EQ(joined(split.fit, split.score), task.fit);
      selected = joined(selected, split.score);
    }
    EXPECT_EQ(selected, task.fit);
  }
}

TEST(CrossFitPlan, StopsWhenTheObserverAsks) {
  class Impatient : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
  };
  const Dataset data = testing::simulate({.nodes = 103}, 1).data;
  Impatient observer;
  const Context context({.threads = 1, .progress = &observer});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so that it is time to ask
  EXPECT_THROW(make_plan(context, data, PlanOptions{}, 7), Cancelled);
}

TEST(CrossFitPlan, SelectsByFoldsUnlessANodeIsMissingOrRepeated) {
  const Dataset data = testing::simulate({.nodes = 60, .features = 2}, 1).data;
  const FitTask task = cross_fit_plan(data, 3, 4, 0).tasks[1];
  EXPECT_TRUE(selects_by_folds(task));
  FitTask other = task;
  other.selection.pop_back();
  EXPECT_FALSE(selects_by_folds(other));
  other = task;
  other.selection[2].fit.pop_back();
  EXPECT_FALSE(selects_by_folds(other));
  other = task;
  other.selection[0] = other.selection[1];
  EXPECT_FALSE(selects_by_folds(other));
  other = task;
  other.selection[3].score.push_back(59);
  EXPECT_FALSE(selects_by_folds(other));
}

TEST(SplitPlan, FitsOnTrainChoosesOnValidationAndScoresTest) {
  const Split split{.train = {0, 3, 4}, .validation = {1}, .test = {2, 5}};
  const FitPlan plan = split_plan(split);
  EXPECT_NO_THROW(require_valid(plan, 6));
  ASSERT_EQ(plan.tasks.size(), 1U);
  EXPECT_EQ(plan.tasks[0].fit, split.train);
  EXPECT_EQ(plan.tasks[0].score, split.test);
  ASSERT_EQ(plan.tasks[0].selection.size(), 1U);
  EXPECT_EQ(plan.tasks[0].selection[0].fit, split.train);
  EXPECT_EQ(plan.tasks[0].selection[0].score, split.validation);
  EXPECT_EQ(plan.scored, split.test);
}

TEST(FitPlan, IsRefusedWhereAModelWouldScoreWhatItSaw) {
  const FitPlan good = split_plan({.train = {0, 1}, .validation = {2}, .test = {3}});
  FitPlan fitted = good;
  fitted.tasks[0].fit.push_back(3);
  FitPlan selected = good;
  selected.tasks[0].selection[0].score.push_back(3);
  FitPlan twice = good;
  twice.tasks.push_back(good.tasks[0]);
  FitPlan unlisted = good;
  unlisted.scored.clear();
  for (const FitPlan& plan : {fitted, selected, twice, unlisted}) {
    EXPECT_THROW(require_valid(plan, 4), Error);
  }
  EXPECT_THROW(require_valid(good, 3), Error);
}

TEST(FitPlan, IsRefusedWhereAListIsNotAscending) {
  const FitPlan good = split_plan({.train = {0, 1, 2}, .validation = {3, 4}, .test = {5, 6}});
  ASSERT_NO_THROW(require_valid(good, 7));
  FitPlan fit = good;
  std::swap(fit.tasks[0].fit[0], fit.tasks[0].fit[1]);
  FitPlan score = good;
  std::swap(score.tasks[0].score[0], score.tasks[0].score[1]);
  FitPlan selection_fit = good;
  std::swap(selection_fit.tasks[0].selection[0].fit[1], selection_fit.tasks[0].selection[0].fit[2]);
  FitPlan selection_score = good;
  std::swap(selection_score.tasks[0].selection[0].score[0],
            selection_score.tasks[0].selection[0].score[1]);
  FitPlan repeated = good;
  repeated.tasks[0].fit[1] = repeated.tasks[0].fit[0];
  for (const FitPlan& plan : {fit, score, selection_fit, selection_score, repeated}) {
    EXPECT_THROW(require_valid(plan, 7), Error);
  }
}

}  // namespace
}  // namespace cone
