#include <algorithm>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/model.hpp"
#include "cone/record.hpp"
#include "cone/settings.hpp"

#include "cone_networks/cone_fit.hpp"
#include "cone_networks/model_file.hpp"
#include "support/small_network.hpp"
#include "support/small_world.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

EvaluateOptions small_networks() {
  EvaluateOptions options;
  options.estimators = {"snips", "cone", "cone_dm", "cone_ips", "cone_snips"};
  options.plan.folds = 3;
  options.cone.heads = 2;
  options.cone.head_size = 4;
  options.cone.hidden = 8;
  options.cone.epochs = 5;
  return options;
}

/// All but the timings.
nlohmann::ordered_json content(const EvaluationRecord& record) {
  nlohmann::ordered_json json = to_json(record);
  json.erase("timing_seconds");
  return json;
}

TEST(EvaluateModel, AFitFromAFileGivesTheNumbersOfOneMadeOnTheWay) {
  const testing::SmallWorld world = testing::small_world(120, 0.5, 1, 4);
  const testing::TemporaryFolder folder;
  for (const Protocol protocol : {Protocol::kCrossFit, Protocol::kSplit}) {
    EvaluateOptions options = small_networks();
    options.plan.protocol = protocol;
    const Context context(9, 2);
    const EvaluationRecord direct = evaluate(context, world.data, world.policies, options);
    write_model(folder.path() / "model",
                fit_cone(context, world.data.observed, options.plan, options.cone));
    const ConeFit read = read_model(folder.path() / "model");
    const EvaluationRecord loaded =
        evaluate(Context(9, 1), world.data, world.policies, options, &read);
    EXPECT_EQ(content(direct), content(loaded));
  }
}

TEST(EvaluateModel, ConeRunsWhereAnEstimatorNeedsItsNetworksAndTheDataBringsNoneOfItsOwn) {
  Dataset data = testing::small_world(60, 0.5, 1, 5).data.observed;
  EvaluateOptions options;
  options.estimators = {"cone_ips"};
  EXPECT_TRUE(uses_cone(data, options));
  options.nuisances = NuisanceSource::kGiven;
  EXPECT_TRUE(uses_cone(data, options)) << "there is nothing given to use instead";
  data.propensity = Matrix<double>(60, 2, 0.5);
  EXPECT_FALSE(uses_cone(data, options));
  options.estimators = {"cone"};
  EXPECT_TRUE(uses_cone(data, options)) << "the outcome networks are still its own";
  options.estimators = {"snips", "dr_ridge"};
  EXPECT_FALSE(uses_cone(data, options));
}

TEST(Evaluate, SaysWhereNetworksPredictWorseThanARegressionOnTheFeatures) {
  const auto world = testing::small_world(300, 0.7, 1, 6);
  EvaluateOptions options;
  options.estimators = {"cone", "dr_ridge"};
  options.cone = testing::small_options();
  options.cone.epochs = 1;  // the networks hardly move from the mean outcome
  const EvaluationRecord record = evaluate(Context(0, 2), world.data, world.policies, options);
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
  const Context context(11, 2);
  const ConeModel fitted = fit_model(context, data, plan, options);
  save_model(folder.path() / "m", *fitted);
  const ConeModel loaded = load_model(folder.path() / "m");
  const Nuisances was = predict_by_model(context, data, *fitted, 0.01);
  // The model has its own seed: that of the context does not matter.
  const Nuisances is = predict_by_model(Context(0, 1), data, *loaded, 0.01);
  ASSERT_EQ(is.outcome->mu.rows(), 90U);
  EXPECT_TRUE(std::ranges::equal(is.outcome->mu.values(), was.outcome->mu.values()));
  EXPECT_TRUE(std::ranges::equal(is.propensity->e.values(), was.propensity->e.values()));
  data.outcome[3] += 1;
  EXPECT_THROW(predict_by_model(context, data, *loaded, 0.01), Error);
}

}  // namespace
}  // namespace cone
