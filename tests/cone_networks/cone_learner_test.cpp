#include "cone_networks/cone_learner.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "cone_networks/cone_fit.hpp"
#include "cone_networks/networks_section.hpp"
#include "nuisance/balancer.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

class ConeLearning : public ::testing::Test {
 protected:
  ConeLearning() : data(testing::simulated_network(150)) {
    options.plan.folds = 3;
    options.networks = testing::small_options();
    options.networks.epochs = 5;
    options.kernel.emplace();
    plan = make_plan(context, data, options.plan, context.seed());
  }

  Nuisances learn(const ConeFit* fitted = nullptr) const {
    return ConeLearner(options, fitted).fit(context, data, plan);
  }
  ConeFit fit() const { return fit_cone(context, data, options.plan, options.networks); }

  const Context context{{.seed = 3, .threads = 2}};
  Dataset data;
  ConeLearnerOptions options;
  FitPlan plan;
};

void expect_equal(const Nuisances& a, const Nuisances& b) {
  EXPECT_TRUE(std::ranges::equal(a.outcome->mu.values(), b.outcome->mu.values()));
  EXPECT_TRUE(std::ranges::equal(a.propensity->e.values(), b.propensity->e.values()));
  EXPECT_EQ(a.trainings.size(), b.trainings.size());
}

TEST_F(ConeLearning, IsTheSameFromItsOwnFitAnotherFitAndAFile) {
  const Nuisances own = learn();
  const ConeFit fitted = fit();
  const Nuisances taken = learn(&fitted);
  expect_equal(own, taken);
  std::ostringstream out;
  ByteWriter writer(out);
  put_networks(writer, fitted);
  const std::string bytes = out.str();
  ByteReader reader(bytes, "model", "");
  ConeFit read{.plan = fitted.plan,
               .seed = fitted.seed,
               .data_checksum = fitted.data_checksum,
               .arms = fitted.arms};
  next_networks(reader, read);
  const Nuisances from_file = learn(&read);
  expect_equal(own, from_file);
  const Matrix<double> uniform(150, 2, 0.5);
  EXPECT_EQ(own.balancer->value(context, uniform.view()).value,
            from_file.balancer->value(context, uniform.view()).value);
}

TEST_F(ConeLearning, PredictsFromTheGivenRepresentations) {
  ConeFit fitted = fit();
  std::fill(fitted.z.values().begin(), fitted.z.values().end(), 0.0F);
  options.kernel.reset();  // balancing fails where all nodes are equal
  const Nuisances learnt = learn(&fitted);
  for (const FitTask& task : plan.tasks) {
    for (const NodeIndex i : task.score) {
      EXPECT_EQ(learnt.outcome->mu(i, 1), learnt.outcome->mu(task.score[0], 1));
    }
  }
}

TEST_F(ConeLearning, RefusesAFitToDifferentDataOrOfAnotherPlan) {
  const ConeFit fitted = fit();
  Dataset other = data;
  other.outcome[7] += 1;
  EXPECT_THROW(ConeLearner(options, &fitted).fit(context, other, plan), Error);
  EXPECT_THROW(ConeLearner(options, &fitted).fit(context.with_seed(4), data, plan), Error);
  options.plan.selection_folds = 2;
  EXPECT_THROW(ConeLearner(options, &fitted).fit(context, data, plan), Error);
}

}  // namespace
}  // namespace cone
