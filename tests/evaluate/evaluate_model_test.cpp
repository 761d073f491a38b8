#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/options.hpp"
#include "cone/record.hpp"

#include "evaluate/fitted_model.hpp"
#include "evaluate/model_file.hpp"
#include "support/small_network.hpp"
#include "support/small_world.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

EvaluateOptions small_networks() {
  EvaluateOptions options;
  options.estimators = {"snips",   "network_dm", "network_dr", "cone",
                        "cone_dm", "cone_ips",   "cone_snips"};
  options.plan.folds = 3;
  options.cone.heads = 2;
  options.cone.head_size = 4;
  options.cone.hidden = 8;
  options.cone.epochs = 5;
  return options;
}

/// Without timings, and without training curves, which a model file does not keep.
nlohmann::ordered_json content(const EvaluationRecord& record) {
  nlohmann::ordered_json json = to_json(record);
  json.erase("timing_seconds");
  for (nlohmann::ordered_json& training : json["diagnostics"]["trainings"])
    training.erase("curves");
  return json;
}

TEST(EvaluateModel, AModelFromAFileGivesTheNumbersOfADirectFit) {
  const testing::SmallWorld world = testing::small_world(120, 0.5, 1, 4);
  const testing::TemporaryFolder folder;
  for (const auto& [protocol, variances, solver] :
       {std::tuple{Protocol::kCrossFit, VarianceFits::kOnce, RidgeSolverChoice::kAuto},
        std::tuple{Protocol::kCrossFit, VarianceFits::kPerFold, RidgeSolverChoice::kIterative},
        std::tuple{Protocol::kSplit, VarianceFits::kOnce, RidgeSolverChoice::kIterative}}) {
    EvaluateOptions options = small_networks();
    options.plan.protocol = protocol;
    options.network_ridge.ridge_variances = variances;
    options.network_ridge.ridge_solver = solver;
    const Context context({.seed = 9, .threads = 2});
    const EvaluationRecord direct = evaluate(context, world.data, world.policies, options);
    const Model fitted = fit_model(
        context, world.data.observed,
        {.plan = options.plan, .network_ridge = options.network_ridge, .cone = options.cone});
    write_model(folder.path() / "model", *fitted);
    const FittedModel read = read_model(folder.path() / "model");
    const EvaluationRecord loaded =
        evaluate(Context({.seed = 9, .threads = 1}), world.data, world.policies, options, &read);
    EXPECT_EQ(content(direct), content(loaded));
  }
}

TEST(EvaluateModel, ConeRunsWhereAnEstimatorNeedsItsNetworksAndNoneAreGiven) {
  Dataset data = testing::small_world(60, 0.5, 1, 5).data.observed;
  EvaluateOptions options;
  options.estimators = {"cone_ips"};
  EXPECT_TRUE(uses_cone(data, options));
  options.nuisances = NuisanceSource::kGiven;
  EXPECT_TRUE(uses_cone(data, options)) << "there is nothing given to use instead";
  data.propensity = Matrix<double>(60, 2, 0.5);
  EXPECT_FALSE(uses_cone(data, options));
  options.estimators = {"cone"};
  EXPECT_TRUE(uses_cone(data, options)) << "the outcome networks are still needed";
  options.estimators = {"snips", "dr_ridge"};
  EXPECT_FALSE(uses_cone(data, options));
}

TEST(Evaluate, WarnsWhereNetworksPredictWorseThanARegressionOnTheFeatures) {
  const auto world = testing::small_world(300, 0.7, 1, 6);
  EvaluateOptions options;
  options.estimators = {"cone", "dr_ridge"};
  options.cone = testing::small_options();
  options.cone.epochs = 1;  // the networks hardly move from the mean outcome
  const EvaluationRecord record =
      evaluate(Context({.threads = 2}), world.data, world.policies, options);
  const auto says = [&](std::size_t row) {
    const auto& warnings = record.policies[0].estimates[row].warnings;
    return std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
      return warning.find("predict outcomes worse than ridge does") != std::string::npos;
    });
  };
  EXPECT_TRUE(says(0));
  EXPECT_FALSE(says(1));
}

TEST(PublicModel, FittedSavedAndLoadedPredictsTheSameAndRefusesOtherData) {
  const testing::TemporaryFolder folder;
  Dataset data = testing::small_world(90, 0.5, 1, 7).data.observed;
  ConeOptions options = testing::small_options();
  options.epochs = 3;
  PlanOptions plan;
  plan.folds = 2;
  const Context context({.seed = 11, .threads = 2});
  const Model fitted = fit_model(context, data, {.plan = plan, .cone = options});
  save_model(folder.path() / "m", *fitted);
  const Model loaded = load_model(folder.path() / "m");
  const Nuisances was = predict_by_model(context, data, *fitted, 0.01);
  // The model has its own seed: that of the context does not matter.
  const Nuisances is = predict_by_model(Context({.threads = 1}), data, *loaded, 0.01);
  ASSERT_EQ(is.outcome->mu.rows(), 90U);
  EXPECT_TRUE(std::ranges::equal(is.outcome->mu.values(), was.outcome->mu.values()));
  EXPECT_TRUE(std::ranges::equal(is.propensity->e.values(), was.propensity->e.values()));
  data.outcome[3] += 1;
  EXPECT_THROW(predict_by_model(context, data, *loaded, 0.01), Error);
}

TEST(PublicModel, HoldsTheRequestedParts) {
  const auto world = testing::small_world(90, 0.5, 1, 7);
  const Dataset& data = world.data.observed;
  const Context context({.seed = 11, .threads = 2});
  ModelOptions options{.parts = {"network_ridge"}, .plan = {.folds = 2}};
  const Model ridge = fit_model(context, data, options);
  EXPECT_FALSE(ridge->networks);
  ASSERT_TRUE(ridge->network_ridge);
  EXPECT_EQ(estimators_of_model(*ridge),
            (std::vector<std::string>{"network_dm", "network_joint", "network_dr"}));
  EXPECT_THROW(predict_by_model(context, data, *ridge, 0.01), Error);
  const EvaluateOptions adopted = adopt_model(*ridge, {}).options;
  EXPECT_NO_THROW(require_model_for(*ridge, "m", data, adopted));
  EvaluateOptions beyond = adopted;
  beyond.estimators = {"cone", "network_dm"};
  EXPECT_THROW(require_model_for(*ridge, "m", data, beyond), Error);
  beyond.estimators = {"snips"};
  EXPECT_THROW(require_model_for(*ridge, "m", data, beyond), Error);
  options.parts = {"network_fridge"};
  EXPECT_THROW(fit_model(context, data, options), Error);
}

/// An untrusted file may be well formed, of the right data, and absurd.
TEST(PublicModel, AbsurdVariancesEndInNumbersOrARefusal) {
  const auto world = testing::small_world(90, 0.5, 1, 7);
  const Context context({.seed = 11, .threads = 2});
  for (const RidgeSolverChoice solver :
       {RidgeSolverChoice::kDense, RidgeSolverChoice::kIterative}) {
    ModelOptions asked{.parts = {"network_ridge"}, .plan = {.folds = 2}};
    asked.network_ridge.ridge_solver = solver;
    const Model model = fit_model(context, world.data.observed, asked);
    const EvaluateOptions options = adopt_model(*model, {}).options;
    const std::vector<std::function<void(ArmModel&)>> changes = {
        [](ArmModel& arm) { arm.noise = arm.noise_growth = 0; },
        [](ArmModel& arm) { std::ranges::fill(arm.group_variances, 1000.0); },
        [](ArmModel& arm) { std::ranges::fill(arm.group_variances, 5e-324); },
        [](ArmModel& arm) { std::ranges::fill(arm.group_variances, 0.0); },
        [](ArmModel& arm) { arm.sd = 5e-324; },
        [](ArmModel& arm) { arm.sd = 1e308; },
        [](ArmModel& arm) { arm.mean = -1e308; },
        [](ArmModel& arm) {
          arm.fixed_columns = {0, 1, 2};
        }};  // all degrees are the same
    for (std::size_t k = 0; k < changes.size(); ++k) {
      FittedModel strange = *model;
      for (ArmModel& arm : strange.network_ridge->parts[0]) changes[k](arm);
      try {
        const auto record = evaluate(context, world.data, world.policies, options, &strange);
        EXPECT_EQ(record.policies[0].estimates.size(), 3U) << k;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kData) << k << ' ' << error.what();
      }
    }
  }
}

TEST(PublicModel, LeavesNetworksOutOfLargeDataUnlessRequested) {
  Dataset large;
  large.ids = IdTable::numbered(100'000);
  const std::vector<std::string> both = {"networks", "network_ridge"};
  EXPECT_EQ(parts_to_fit(large, {}), std::vector<std::string>{"network_ridge"});
  EXPECT_EQ(parts_to_fit(large, {.parts = both}), both);
  EXPECT_EQ(parts_to_fit(testing::small_world(60, 0.5, 1, 5).data.observed, {}), both);
}

TEST(PublicModel, ANetworkRidgeOfOtherDataOptionsOrGroupsIsRefused) {
  auto world = testing::small_world(90, 0.5, 1, 7);
  const Context context({.seed = 11, .threads = 2});
  const Model model =
      fit_model(context, world.data.observed, {.parts = {"network_ridge"}, .plan = {.folds = 2}});
  const EvaluateOptions options = adopt_model(*model, {}).options;
  const auto run = [&](const FittedModel& used, const EvaluateOptions& asked) {
    evaluate(context, world.data, world.policies, asked, &used);
  };
  EXPECT_NO_THROW(run(*model, options));
  EvaluateOptions other = options;
  other.network_ridge.undersmoothing = 0.5;
  EXPECT_THROW(run(*model, other), Error);
  FittedModel strange = *model;
  strange.network_ridge->groups.pop_back();
  EXPECT_THROW(run(strange, options), Error);
  world.data.observed.outcome[3] += 1;
  EXPECT_THROW(run(*model, options), Error);
}

}  // namespace
}  // namespace cone
