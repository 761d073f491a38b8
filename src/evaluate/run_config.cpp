#include "evaluate/run_config.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/json.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "data/arm_costs.hpp"

namespace cone {
namespace {

/// The values of options that are chosen from the data.
nlohmann::ordered_json describe_automatic(const Dataset& data, const EvaluateOptions& options) {
  nlohmann::ordered_json chosen = nlohmann::ordered_json::object();
  const EstimatorOptions& of = options.estimator;
  const bool fits_propensities = options.nuisances == NuisanceSource::kFitted;
  if (fits_propensities && !options.nuisance.propensity_bound) {
    chosen["propensity_bound"] = choose_propensity_bounds(data, {}).low;
  }
  if (!of.clip) chosen["clip"] = limit_of_weights(of.clip, data.num_arms());
  if (!of.switch_threshold) {
    chosen["switch_threshold"] = limit_of_weights(of.switch_threshold, data.num_arms());
  }
  return chosen;
}

/// The checksum of the data does not cover cost columns, and results depend on them.
std::optional<std::string> cost_checksum(const Dataset& data, const EvaluateOptions& options) {
  std::vector<const NamedColumn*> columns;
  for (const KeptColumn& column : cost_columns(options.cost)) {
    if (const NamedColumn* kept = data.find_kept(column.name)) columns.push_back(kept);
  }
  if (columns.empty()) return std::nullopt;
  Matrix<double> table(data.num_nodes(), columns.size());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) table(i, c) = columns[c]->values[i];
  }
  return data.checksum_of(table.view());
}

}  // namespace

nlohmann::ordered_json describe_config(const Context& context, const Dataset& data,
                                       const EvaluateOptions& options,
                                       std::span<const EstimatorInfo> rows,
                                       std::span<const PolicyOnData> policies) {
  nlohmann::ordered_json config = option_json(options);
  // Affects what is listed, not a result: in the record only where the user set it.
  if (options.list_pairs_up_to == EvaluateOptions{}.list_pairs_up_to) {
    config.erase("list_pairs_up_to");
  }
  config["estimators"] = nlohmann::ordered_json::array();
  for (const EstimatorInfo& row : rows) config["estimators"].push_back(std::string(row.name));
  // The library's version covers the built-in learners only.
  for (const auto& added : options.catalogue.added()) {
    const LearnerId learner(added->name);
    const bool is_used =
        std::ranges::any_of(rows, [&](const EstimatorInfo& row) { return row.needs(learner); });
    if (is_used) config["learners"][added->name] = added->version;
  }
  config["policies"] = nlohmann::ordered_json::array();
  for (const PolicyOnData& policy : policies) config["policies"].push_back(policy.name);
  config["seed"] = context.seed();
  nlohmann::ordered_json chosen = describe_automatic(data, options);
  if (!chosen.empty()) config["automatic"] = std::move(chosen);
  if (const auto checksum = cost_checksum(data, options)) config["cost_checksum"] = *checksum;
  return config;
}

}  // namespace cone
