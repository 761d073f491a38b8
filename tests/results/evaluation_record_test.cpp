#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cone/record.hpp"

#include "nn/train.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// Every leaf of the JSON with its path.
void collect_leaves(const Json& json, const std::string& path,
                    std::vector<std::pair<std::string, Json>>& out) {
  if (json.is_structured()) {
    for (const auto& [key, value] : json.items()) {
      collect_leaves(value, path + "/" + key, out);
    }
  } else {
    out.emplace_back(path, json);
  }
}

/// A record where every number that can be missing is NaN.
EvaluationRecord record_of_nothing() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  EvaluationRecord record;
  record.config = Json::object();
  Estimate e;
  e.estimator = "ips";
  e.value = e.standard_error = kNone;
  e.sampling_interval = {kNone, std::numeric_limits<double>::infinity()};
  e.effective_sample_size = e.max_weight = e.mean_weight = e.off_support_fraction = kNone;
  PolicyResult policy{.name = "p", .treated_fraction = kNone, .truth = kNone, .estimates = {e}};
  record.policies = {policy};
  record.diagnostics.propensity_models = {{"features", kNone, kNone, kNone, kNone, kNone}};
  record.diagnostics.outcome_models = {{"nn", kNone}};
  record.diagnostics.trainings = {{TrainingStatus::kDiverged, 1, 1, kNone, kNone, kNone, kNone}};
  return record;
}

TEST(EvaluationRecord, HasNullWhereThereIsNoNumber) {
  const Json json = to_json(record_of_nothing());
  // As parsed from the text: dumping NaN would give null as well, but a reader of to_json would
  // not.
  std::vector<std::pair<std::string, Json>> leaves;
  collect_leaves(json, "", leaves);
  for (const auto& [path, leaf] : leaves) {
    if (leaf.is_number_float()) {
      EXPECT_TRUE(std::isfinite(leaf.get<double>())) << path;
    }
  }
  const Json& estimate = json["policies"][0]["estimates"][0];
  for (const char* key : {"value", "standard_error", "effective_sample_size", "max_weight",
                          "mean_weight", "off_support_fraction"}) {
    EXPECT_TRUE(estimate[key].is_null()) << key;
  }
  EXPECT_EQ(estimate["sampling_interval"], Json::parse("[null, null]"));
}

TEST(EvaluationRecord, HasNullWhereNoPropensitiesAreKnown) {
  EvaluationRecord record = record_of_nothing();
  record.policies[0].estimates[0].mean_weight.reset();
  record.policies[0].estimates[0].off_support_fraction.reset();
  const Json estimate = to_json(record)["policies"][0]["estimates"][0];
  EXPECT_TRUE(estimate["mean_weight"].is_null());
  EXPECT_TRUE(estimate["off_support_fraction"].is_null());
}

}  // namespace
}  // namespace cone
