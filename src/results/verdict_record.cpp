#include <utility>

#include "options/json_number.hpp"
#include "results/diagnostics_record.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// Entries with their verdicts last.
template <class Entry, class Describe>
Json entries_json(const std::vector<Entry>& entries, const Describe& describe) {
  Json json = Json::array();
  for (const Entry& entry : entries) {
    Json described = describe(entry);
    add_verdict_json(entry.verdict, described);
    json.push_back(std::move(described));
  }
  return json;
}

Json overlap_json(const ArmOverlap& arm) {
  return {{"arm", arm.arm},
          {"in_arm", arm.got},
          {"other_arms", arm.others},
          {"rare_fraction", json_number(arm.rare_fraction)}};
}

Json weights_json(const WeightTail& tail) {
  return {{"policy", tail.policy},
          {"effective_sample_size", json_number(tail.effective_sample_size)},
          {"median", json_number(tail.median)},
          {"quantile_90", json_number(tail.quantile_90)},
          {"quantile_99", json_number(tail.quantile_99)},
          {"max", json_number(tail.max)},
          {"heaviest_share", json_number(tail.heaviest_share)}};
}

Json support_json(const PolicySupport& support) {
  return {{"policy", support.policy},
          {"off_support_fraction", json_number(support.off_support_fraction)}};
}

Json calibration_json(const ArmCalibration& arm) {
  Json bins = Json::array();
  for (const CalibrationBin& bin : arm.bins) {
    bins.push_back({{"predicted", json_number(bin.predicted)},
                    {"observed", json_number(bin.observed)},
                    {"num_nodes", bin.num_nodes}});
  }
  return {{"arm", arm.arm},
          {"bins", std::move(bins)},
          {"mean_gap", json_number(arm.mean_gap)},
          {"chi_squared", json_number(arm.chi_squared)},
          {"p", json_number(arm.p)}};
}

Json balance_json(const ArmBalance& arm) {
  Json columns = Json::array();
  for (const ColumnBalance& column : arm.columns) {
    columns.push_back({{"name", column.name},
                       {"of", column.of},
                       {"before", json_number(column.before)},
                       {"after", json_number(column.after)},
                       {"error", json_number(column.error)}});
  }
  return {{"arm", arm.arm},
          {"columns", std::move(columns)},
          {"largest_before", json_number(arm.largest_before)},
          {"largest_after", json_number(arm.largest_after)}};
}

Json degree_json(const DegreeResiduals& residuals) {
  Json groups = Json::array();
  for (const DegreeGroup& group : residuals.groups) {
    groups.push_back({{"degrees", {group.low, group.high}},
                      {"num_nodes", group.num_nodes},
                      {"mean_residual", json_number(group.mean_residual)},
                      {"standard_error", json_number(group.standard_error)}});
  }
  return {{"outcome_model", residuals.outcome_model},
          {"groups", std::move(groups)},
          {"correlation", json_number(residuals.correlation)},
          {"p", json_number(residuals.p)}};
}

Json shares_json(const VarianceShares& shares) {
  return {{"arm", shares.arm},
          {"own", json_number(shares.own)},
          {"network", json_number(shares.network)},
          {"noise", json_number(shares.noise)}};
}

Json stability_json(const PolicyStability& stability) {
  Json folds = Json::array();
  for (const double value : stability.by_fold) folds.push_back(json_number(value));
  Json json = {{"policy", stability.policy},
               {"by_fold", std::move(folds)},
               {"fold_p", json_number(stability.fold_p)}};
  if (stability.seed_sd) json["seed_sd"] = json_number(*stability.seed_sd);
  return json;
}

}  // namespace

void add_verdict_json(const Verdict& verdict, Json& entry) {
  entry["verdict"] = verdict.is_caution ? "caution" : "ok";
  entry["sentence"] = verdict.sentence;
}

void add_verdicts_json(const Diagnostics& d, Json& json) {
  if (!d.propensity_model.empty()) json["propensity_model"] = d.propensity_model;
  json["overlap"] = entries_json(d.overlap, overlap_json);
  json["weights"] = entries_json(d.weights, weights_json);
  json["positivity"] = entries_json(d.support, support_json);
  json["calibration"] = entries_json(d.calibration, calibration_json);
  json["balance"] = entries_json(d.balance, balance_json);
  json["residuals_by_degree"] = entries_json(d.residuals_by_degree, degree_json);
  json["variance_shares"] = entries_json(d.variance_shares, shares_json);
  json["stability"] = entries_json(d.stability, stability_json);
  json["verdicts"] = entries_json(d.verdicts, [](const NamedVerdict& verdict) {
    return Json{{"name", verdict.name}};
  });
}

}  // namespace cone
