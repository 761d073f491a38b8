#include <utility>

#include "cone/json.hpp"

#include "results/sensitivity_fields.hpp"

namespace cone {

nlohmann::ordered_json to_json(const SensitivityRequest& request) {
  nlohmann::ordered_json config = option_json(request.options);
  config["policies"] = request.policies;
  config["against"] = request.against;
  config["seed"] = request.seed;
  config["data"] = request.data;
  config.update(option_json(request.table));
  return config;
}

nlohmann::ordered_json to_json(const SensitivityReport& report, nlohmann::ordered_json config,
                               std::string_view data_checksum) {
  if (config.contains("propensity_bound") && !config["propensity_bound"].is_number()) {
    config["automatic"] = {{"propensity_bound", report.propensity_bounds}};
  }
  return record_json(SensitivityRecord{report, std::move(config), data_checksum});
}

}  // namespace cone
