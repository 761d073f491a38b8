#include "results/diagnostics_record.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "options/json_number.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

Json network_ridge_json(const NetworkRidgeSummary& ridge) {
  Json json = {{"solver", ridge.solver},
               {"iterations", ridge.iterations},
               {"converged", ridge.converged},
               {"undersmoothing", json_number(ridge.undersmoothing)},
               {"arms", Json::array()}};
  for (const ArmVariances& arm : ridge.arms) {
    Json groups = Json::object();
    for (const auto& [name, variance] : arm.groups) groups[name] = json_number(variance);
    json["arms"].push_back({{"arm", arm.arm},
                            {"variances", std::move(groups)},
                            {"noise", json_number(arm.noise)},
                            {"noise_growth", json_number(arm.noise_growth)},
                            {"num_nodes", arm.num_nodes},
                            {"steps", arm.steps},
                            {"converged", arm.converged}});
  }
  return json;
}

double round_to_five_digits(double value) {
  if (!std::isfinite(value)) return value;
  const std::string digits = fmt::format("{:.5g}", value);
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Training curves are for plots: five digits keep the record small.
Json curve_json(const std::vector<double>& losses) {
  Json json = Json::array();
  for (const double loss : losses) json.push_back(json_number(round_to_five_digits(loss)));
  return json;
}

Json curves_json(const TrainingCurves& curves) {
  Json json = {{"epoch", curves.epoch}, {"training_loss", curve_json(curves.training)}};
  if (!curves.validation.empty()) json["validation_loss"] = curve_json(curves.validation);
  json["outcome_loss"] = curve_json(curves.outcome);
  json["treatment_loss"] = curve_json(curves.treatment);
  json["information_loss"] = curve_json(curves.information);
  return json;
}

}  // namespace

Json diagnostics_json(const Diagnostics& d, const std::vector<std::string>& notes) {
  Json json = {{"num_evaluated_nodes", d.num_evaluated_nodes},
               {"num_isolated_nodes", d.num_isolated_nodes},
               {"num_self_loops_dropped", d.num_self_loops_dropped},
               {"num_edges_merged", d.num_edges_merged}};
  json["propensity_models"] = Json::array();
  for (const PropensityDiagnostics& p : d.propensity_models) {
    json["propensity_models"].push_back({{"name", p.name},
                                         {"min", json_number(p.min)},
                                         {"max", json_number(p.max)},
                                         {"log_loss", json_number(p.log_loss)},
                                         {"constant_log_loss", json_number(p.constant_log_loss)},
                                         {"clipped_fraction", json_number(p.clipped_fraction)}});
  }
  json["outcome_models"] = Json::array();
  for (const OutcomeDiagnostics& o : d.outcome_models) {
    Json entry = {{"name", o.name}, {"r_squared", json_number(o.r_squared)}};
    add_verdict_json(o.verdict, entry);
    json["outcome_models"].push_back(std::move(entry));
  }
  if (!d.trainings.empty()) json["trainings"] = Json::array();
  for (const TrainingDiagnostics& t : d.trainings) {
    json["trainings"].push_back(
        {{"status", t.status},
         {"epochs", t.epochs},
         {"best_epoch", t.best_epoch},
         {"validation_outcome_loss", json_number(t.validation_outcome_loss)},
         {"validation_treatment_loss", json_number(t.validation_treatment_loss)},
         {"outcome_error", json_number(t.outcome_error)},
         {"propensity_loss", json_number(t.propensity_loss)}});
    if (!t.curves.epoch.empty()) json["trainings"].back()["curves"] = curves_json(t.curves);
  }
  if (d.residual_association) {
    json["residual_association"] = {{"moran", json_number(d.residual_association->moran)},
                                    {"p", json_number(d.residual_association->p)},
                                    {"permutations", d.residual_association->permutations}};
  }
  if (d.network_strength) {
    json["network_strength"] = {
        {"r_squared_features", json_number(d.network_strength->r_squared_features)},
        {"r_squared_network", json_number(d.network_strength->r_squared_network)},
        {"added", json_number(d.network_strength->added)},
        {"added_upper", json_number(d.network_strength->added_upper)},
        {"is_clear", d.network_strength->is_clear}};
  }
  if (!d.joint_model.empty()) json["joint_model"] = Json::array();
  for (const JointArm& arm : d.joint_model) {
    json["joint_model"].push_back({{"arm", arm.arm},
                                   {"slope", json_number(arm.slope)},
                                   {"slope_standard_error", json_number(arm.slope_error)},
                                   {"trust", json_number(arm.trust)},
                                   {"reason", arm.reason},
                                   {"equal_slopes_p", json_number(arm.equal_slopes_p)},
                                   {"has_equal_slopes", arm.has_equal_slopes},
                                   {"network_share", json_number(arm.network_share)},
                                   {"network_reliability", json_number(arm.network_reliability)},
                                   {"network_statistic", json_number(arm.network_statistic)},
                                   {"noise_share", json_number(arm.noise_share)},
                                   {"noise_share_error", json_number(arm.noise_share_error)}});
  }
  if (d.network_ridge) json["network_ridge"] = network_ridge_json(*d.network_ridge);
  add_verdicts_json(d, json);
  json["feature_scaling"] = Json::array();
  for (const ScalingDiagnostics& s : d.feature_scaling) {
    Json entry = {{"learners", s.learners}};
    if (!s.dense.empty()) entry["numeric"] = s.dense;
    if (!s.counts.empty()) entry["counts"] = s.counts;
    json["feature_scaling"].push_back(std::move(entry));
  }
  json["notes"] = notes;
  json["warnings"] = notes;
  for (const std::string& warning : d.warnings) json["warnings"].push_back(warning);
  return json;
}

}  // namespace cone
