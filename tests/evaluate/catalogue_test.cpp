#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/record.hpp"

#include "nuisance/linear_learner.hpp"
#include "nuisance/logistic_learner.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

/// A learner that is a function.
class FunctionLearner : public Learner {
 public:
  using Fit = std::function<Nuisances(const Context&, const Dataset&, const FitPlan&)>;
  explicit FunctionLearner(Fit fit) : fit_(std::move(fit)) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override {
    return fit_(context, data, plan);
  }

 private:
  Fit fit_;
};

LearnerEntry learner_entry(std::string name, LearnerParts provides, FunctionLearner::Fit fit) {
  return {.name = std::move(name),
          .version = "1",
          .provides = provides,
          .make = [fit](const LearnerRequest&) { return std::make_unique<FunctionLearner>(fit); }};
}

/// Ridge regression as a program might bring its own.
LearnerEntry own_ridge(std::string name) {
  return learner_entry(std::move(name), {.outcome = true},
                       [](const Context& context, const Dataset& data, const FitPlan& plan) {
                         return LinearLearner(LinearModel::kRidge, {}).fit(context, data, plan);
                       });
}

/// Softmax regression; probabilities as fitted, without bounds.
LearnerEntry own_propensities(std::string name) {
  return learner_entry(std::move(name), {.propensity = true},
                       [](const Context& context, const Dataset& data, const FitPlan& plan) {
                         Nuisances out = LogisticLearner({}).fit(context, data, plan);
                         out.propensity = PropensityTable{.e = out.propensity->unbounded};
                         return out;
                       });
}

const Estimate& row_of(const EvaluationRecord& record, const std::string& name) {
  for (const Estimate& estimate : record.policies[0].estimates) {
    if (estimate.estimator == name) return estimate;
  }
  throw std::runtime_error("no estimate " + name);
}

void expect_same_row(const Estimate& a, const Estimate& b) {
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.standard_error, b.standard_error);
  EXPECT_EQ(a.interval(), b.interval());
  EXPECT_EQ(a.sample_standard_error, b.sample_standard_error);
  EXPECT_EQ(a.bias(), b.bias());
  EXPECT_EQ(a.sensitivity_interval, b.sensitivity_interval);
  EXPECT_EQ(a.off_support_fraction, b.off_support_fraction);
  ASSERT_EQ(a.errors_by_dependence.size(), b.errors_by_dependence.size());
  for (std::size_t d = 0; d < a.errors_by_dependence.size(); ++d) {
    EXPECT_EQ(a.errors_by_dependence[d].standard_error, b.errors_by_dependence[d].standard_error);
  }
}

std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "";
}

EvaluationRecord evaluate_with(const SmallWorld& world, const EvaluateOptions& options) {
  return evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
}

TEST(Catalogue, AnAddedOutcomeModelIsEstimatedLikeTheBuiltInOne) {
  const SmallWorld world = small_world(500, 0.5, 1.0, 1);
  EvaluateOptions options;
  options.catalogue.add(own_ridge("mine"));
  options.estimators = {"network_dm", "dm_ridge", "dr_ridge", "dm_mine", "dr_mine"};
  const EvaluationRecord record = evaluate_with(world, options);
  expect_same_row(row_of(record, "dm_mine"), row_of(record, "dm_ridge"));
  expect_same_row(row_of(record, "dr_mine"), row_of(record, "dr_ridge"));
  EXPECT_TRUE(std::isfinite(row_of(record, "dm_mine").standard_error));
  EXPECT_NE(row_of(record, "dm_mine").bias(), 0);
  EXPECT_TRUE(std::isfinite(row_of(record, "dr_mine").sensitivity_interval.first));
  double ridge = 0;
  for (const OutcomeDiagnostics& model : record.diagnostics.outcome_models) {
    if (model.name == "ridge") ridge = model.r_squared;
  }
  for (const OutcomeDiagnostics& model : record.diagnostics.outcome_models) {
    if (model.name == "mine") {
      EXPECT_EQ(model.r_squared, ridge);
    }
  }
  EXPECT_NE(ridge, 0);
}

TEST(Catalogue, AddedPropensitiesAreBoundedAndDoNotCountAsGiven) {
  const SmallWorld world = small_world(500, 0.5, 1.0, 2);
  EvaluateOptions options;
  options.nuisance.propensity_bound = 0.2;  // moves some
  LearnerEntry learner = own_propensities("mine");
  options.catalogue.add(learner);
  options.estimators = {"snips", "dr_ridge", "snips_mine", "dr_mine", "ips_mine"};
  const EvaluationRecord record = evaluate_with(world, options);
  EXPECT_EQ(row_of(record, "snips_mine").value, row_of(record, "snips").value);
  EXPECT_EQ(row_of(record, "dr_mine").value, row_of(record, "dr_ridge").value);
  EXPECT_EQ(row_of(record, "dr_mine").interval(), row_of(record, "dr_ridge").interval());
  EXPECT_GT(row_of(record, "snips_mine").clipped_fraction, 0);
  ASSERT_EQ(record.diagnostics.propensity_models.size(), 2U);
  EXPECT_EQ(record.diagnostics.propensity_models[1].name, "mine");
}

TEST(Catalogue, AnEstimatorMayCombineAddedLearners) {
  const SmallWorld world = small_world(400, 0.5, 1.0, 3);
  EvaluateOptions options;
  options.catalogue.add(own_ridge("outcomes"));
  options.catalogue.add(own_propensities("weights"));
  options.catalogue.add_estimator("both", Method::kDoublyRobust, LearnerId("outcomes"),
                                  LearnerId("weights"), "mine twice");
  options.estimators = {"dr_ridge", "both"};
  const EvaluationRecord record = evaluate_with(world, options);
  EXPECT_EQ(row_of(record, "both").value, row_of(record, "dr_ridge").value);
  const std::string table = estimators_text(options.catalogue);
  EXPECT_NE(table.find("both"), std::string::npos);
  EXPECT_NE(table.find("mine twice"), std::string::npos);
  EXPECT_EQ(estimators_text().find("mine twice"), std::string::npos);
}

TEST(Catalogue, WithoutImpliedWeightsOnlyTheDoublyRobustEstimateHasAnInterval) {
  const SmallWorld world = small_world(400, 0.5, 1.0, 3);
  EvaluateOptions options;
  options.catalogue.add(learner_entry(
      "mine", {.outcome = true},
      [](const Context& context, const Dataset& data, const FitPlan& plan) {
        Nuisances out = LinearLearner(LinearModel::kRidge, {}).fit(context, data, plan);
        out.outcome->variance = nullptr;
        return out;
      }));
  options.estimators = {"dm_mine", "dr_mine"};
  const EvaluationRecord record = evaluate_with(world, options);
  EXPECT_TRUE(std::isnan(row_of(record, "dm_mine").standard_error));
  EXPECT_GT(row_of(record, "dr_mine").standard_error, 0);
}

TEST(Catalogue, AGivenOutcomeModelReplacesAnAddedOne) {
  SmallWorld world = small_world(400, 0.5, 1.0, 3);
  Dataset& data = world.data.observed;
  data.mu = Matrix<double>(data.num_nodes(), 2, 0.5);
  EvaluateOptions options;
  options.nuisances = NuisanceSource::kGiven;
  options.catalogue.add(own_ridge("mine"));
  options.estimators = {"dm_mine"};
  const EvaluationRecord record = evaluate_with(world, options);
  EXPECT_EQ(row_of(record, "dm").value, 0.5);
  EXPECT_FALSE(record.config.contains("learners"));  // it was not used
}

TEST(Catalogue, RunsAreIdentifiedByTheVersionsOfAddedLearners) {
  const SmallWorld world = small_world(300, 0.5, 1.0, 4);
  const auto run = [&](const std::string& version, bool is_first) {
    LearnerEntry mine = own_ridge("mine");
    mine.version = version;
    EvaluateOptions options;
    if (is_first) options.catalogue.add(mine);
    options.catalogue.add(own_ridge("other"));
    if (!is_first) options.catalogue.add(mine);
    options.estimators = {"dr_mine"};
    return evaluate_with(world, options);
  };
  const EvaluationRecord record = run("1", true);
  EXPECT_EQ(record.config.at("learners").dump(), R"({"mine":"1"})");
  EXPECT_EQ(record.run_id(), run("1", false).run_id());
  EXPECT_NE(record.run_id(), run("2", true).run_id());
}

TEST(Catalogue, NamesAreUniqueAndEntriesComplete) {
  Catalogue catalogue;
  catalogue.add(own_ridge("mine"));
  const auto refusal = [&](LearnerEntry learner) {
    return refusal_of([&] { catalogue.add(std::move(learner)); });
  };
  EXPECT_NE(refusal(own_ridge("mine")).find("learner 'mine': exists already"), std::string::npos);
  EXPECT_NE(refusal(own_ridge("ridge")).find("learner 'ridge': exists already"), std::string::npos);
  EXPECT_NE(refusal(own_ridge("A,b")).find("is not a name"), std::string::npos);
  EXPECT_NE(refusal(own_ridge("")).find("is not a name"), std::string::npos);
  // Its estimators would be ips_clipped, which there is, and others.
  EXPECT_NE(refusal(own_propensities("clipped")).find("estimator 'ips_clipped': exists already"),
            std::string::npos);
  EXPECT_EQ(catalogue.find_learner(LearnerId("clipped")), nullptr);  // nothing of it was added
  EXPECT_EQ(catalogue.find_estimator("dr_clipped"), nullptr);
  LearnerEntry incomplete = own_ridge("new");
  incomplete.version.clear();
  EXPECT_NE(refusal(incomplete).find("has no version"), std::string::npos);
  incomplete = own_ridge("new");
  incomplete.make = nullptr;
  EXPECT_NE(refusal(incomplete).find("has no function"), std::string::npos);
  incomplete = own_ridge("new");
  incomplete.provides = {};
  EXPECT_NE(refusal(incomplete).find("provides nothing"), std::string::npos);

  const auto row_refusal = [&](Method method, LearnerId outcome, LearnerId weights) {
    return refusal_of([&] { catalogue.add_estimator("row", method, outcome, weights, ""); });
  };
  const LearnerId mine("mine");
  const LearnerId none = LearnerId::kNone;
  EXPECT_NE(row_refusal(Method::kDoublyRobust, mine, mine).find("provides propensities"),
            std::string::npos);
  EXPECT_NE(row_refusal(Method::kDirect, LearnerId("unknown"), none).find("'unknown'"),
            std::string::npos);
  EXPECT_NE(row_refusal(Method::kDirect, mine, LearnerId::kLogistic).find("does not use"),
            std::string::npos);
  EXPECT_NE(row_refusal(Method::kJointModel, mine, none).find("another method"), std::string::npos);
}

TEST(Catalogue, FaultyTablesAreRefusedByLearnerAndFold) {
  const SmallWorld world = small_world(300, 0.5, 1.0, 4);
  using Change = std::function<void(const FitPlan&, Nuisances&)>;
  const auto refusal = [&](LearnerParts provides, const char* estimator, const Change& change) {
    EvaluateOptions options;
    options.catalogue.add(learner_entry(
        "mine", provides, [&](const Context&, const Dataset& data, const FitPlan& plan) {
          Nuisances out;
          out.outcome = OutcomeTable{.mu = Matrix<double>(plan.scored.size(), data.num_arms(), 1)};
          out.propensity =
              PropensityTable{.e = Matrix<double>(plan.scored.size(), data.num_arms(), 0.5)};
          change(plan, out);
          return out;
        }));
    options.estimators = {estimator};
    return refusal_of([&] { evaluate_with(world, options); });
  };
  const LearnerParts outcome{.outcome = true};
  const LearnerParts propensity{.propensity = true};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(outcome, "dr_mine", [](const FitPlan&, Nuisances&) {}), "");
  EXPECT_EQ(refusal(propensity, "dr_mine", [](const FitPlan&, Nuisances&) {}), "");

  const std::string not_finite =
      refusal(outcome, "dm_mine", [&](const FitPlan& plan, Nuisances& out) {
        out.outcome->mu(find_rows(plan.scored, plan.tasks[2].score)[0], 1) = nan;
      });
  EXPECT_NE(not_finite.find("learner 'mine', fold 3: returned nan for the arm"), std::string::npos)
      << not_finite;
  const std::string shape = refusal(outcome, "dm_mine", [](const FitPlan&, Nuisances& out) {
    out.outcome->mu = Matrix<double>(299, 2, 0);
  });
  EXPECT_NE(shape.find("learner 'mine': returned an outcome table mu of 299 × 2 numbers instead of "
                       "300 × 2"),
            std::string::npos)
      << shape;
  const std::string missing =
      refusal(outcome, "dm_mine", [](const FitPlan&, Nuisances& out) { out.outcome.reset(); });
  EXPECT_NE(missing.find("returned no outcome model"), std::string::npos) << missing;
  const std::string impossible = refusal(
      propensity, "dr_mine", [](const FitPlan&, Nuisances& out) { out.propensity->e(0, 0) = 1.5; });
  EXPECT_NE(impossible.find("returned 1.5 for the arm"), std::string::npos) << impossible;
  EXPECT_NE(impossible.find("fold"), std::string::npos) << impossible;
  const std::string unbounded = refusal(propensity, "dr_mine", [](const FitPlan&, Nuisances& out) {
    out.propensity->unbounded = out.propensity->e;
  });
  EXPECT_NE(unbounded.find("without bounds"), std::string::npos) << unbounded;
}

TEST(Catalogue, AnUnknownEstimatorIsRefusedBesideTheNamesOfAddedOnes) {
  EvaluateOptions options;
  options.catalogue.add(own_ridge("gardens"));
  options.estimators = {"dr_gardenz"};
  EXPECT_NE(refusal_of([&] { validate(options); }).find("did you mean dr_gardens?"),
            std::string::npos);
}

}  // namespace
}  // namespace cone
