#include "cone/output.hpp"

#include "base/numeric.hpp"
#include "options/json_number.hpp"

namespace cone {
namespace {

using BudgetJson = nlohmann::ordered_json;

BudgetJson budget_range_json(const std::pair<double, double>& range) {
  return {json_number(range.first), json_number(range.second)};
}

BudgetJson point_json(const BudgetPoint& point) {
  BudgetJson json = {
      {"share", point.share},
      {"cost", json_number(point.cost)},
      {"gain", json_number(point.gain)},
      {"standard_error", json_number(point.standard_error)},
      {"interval", budget_range_json(point.interval)},
      {"joint_interval", budget_range_json(point.joint_interval)},
      {"sampling_interval", budget_range_json(point.sampling_interval)},
      {"sampling_joint_interval", budget_range_json(point.band)},
      {"sensitivity_interval", budget_range_json(point.sensitivity_interval)},
      {"over_random", json_number(point.over_random)},
      {"over_random_standard_error", json_number(point.over_random_error)},
      {"over_random_interval", budget_range_json(point.over_random_interval)},
      {"over_random_joint_interval", budget_range_json(point.over_random_joint_interval)},
      {"over_random_sampling_interval", budget_range_json(point.over_random_sampling_interval)},
      {"over_random_sampling_joint_interval", budget_range_json(point.over_random_band)}};
  if (point.truth) json["truth"] = json_number(*point.truth);
  return json;
}

BudgetJson area_json(const RankingArea& area) {
  BudgetJson json = {{"value", json_number(area.value)},
                     {"standard_error", json_number(area.standard_error)},
                     {"interval", budget_range_json(area.interval)},
                     {"sampling_interval", budget_range_json(area.sampling_interval)},
                     {"p", json_number(area.p)},
                     {"sensitivity_interval",
                      budget_range_json(area.sensitivity_interval.value_or(std::pair(kNaN, kNaN)))},
                     {"verdict", std::string(enum_name(area.verdict))}};
  if (area.truth) json["truth"] = json_number(*area.truth);
  return json;
}

}  // namespace

BudgetJson budget_curves_json(std::span<const BudgetCurve> curves) {
  BudgetJson json = BudgetJson::array();
  for (const BudgetCurve& curve : curves) {
    BudgetJson one = {{"ranking", curve.ranking},
                      {"is_policy", curve.is_policy},
                      {"arm", curve.arm},
                      {"estimator", curve.estimator},
                      {"target", std::string(enum_name(curve.target))},
                      {"dependence", std::string(enum_name(curve.dependence))},
                      {"level", curve.level},
                      {"lower_is_better", curve.lower_is_better},
                      {"best_share", curve.best_share},
                      {"largest_tie", curve.largest_tie},
                      {"sentence", ranking_sentence(curve)},
                      {"qini", area_json(curve.qini)},
                      {"autoc", area_json(curve.autoc)},
                      {"points", BudgetJson::array()},
                      {"warnings", curve.warnings}};
    for (const BudgetPoint& point : curve.points) one["points"].push_back(point_json(point));
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace cone
