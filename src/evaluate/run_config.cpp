#include "evaluate/run_config.hpp"

#include <utility>

#include "cone/learn.hpp"

#include "estimate/weights.hpp"
#include "options/option_json.hpp"

namespace cone {
namespace {

/// The values of options that are chosen from the data.
nlohmann::ordered_json describe_automatic(const Context& context, const Dataset& data,
                                          const EvaluateOptions& options) {
  nlohmann::ordered_json chosen = nlohmann::ordered_json::object();
  const EstimatorOptions& of = options.estimator;
  const bool fits_propensities = options.nuisances == NuisanceSource::kFitted;
  if (fits_propensities && !options.nuisance.propensity_bound) {
    chosen["propensity_bound"] = choose_propensity_bounds(data, {}, context.comm()).low;
  }
  if (!of.clip) chosen["clip"] = limit_of_weights(of.clip, data.num_arms());
  if (!of.switch_threshold) {
    chosen["switch_threshold"] = limit_of_weights(of.switch_threshold, data.num_arms());
  }
  return chosen;
}

}  // namespace

nlohmann::ordered_json describe_config(const Context& context, const Dataset& data,
                                       const EvaluateOptions& options,
                                       std::span<const EstimatorInfo> rows,
                                       std::span<const std::string> policies) {
  nlohmann::ordered_json config = option_json(options);
  // Affects what is listed, not a result: in the record only where the user set it.
  if (options.list_pairs_up_to == EvaluateOptions{}.list_pairs_up_to) {
    config.erase("list_pairs_up_to");
  }
  config["estimators"] = nlohmann::ordered_json::array();
  for (const EstimatorInfo& row : rows) config["estimators"].push_back(std::string(row.name));
  config["policies"] = nlohmann::ordered_json::array();
  for (const std::string& name : policies) config["policies"].push_back(name);
  config["seed"] = context.seed();
  nlohmann::ordered_json chosen = describe_automatic(context, data, options);
  if (!chosen.empty()) config["automatic"] = std::move(chosen);
  return config;
}

}  // namespace cone
