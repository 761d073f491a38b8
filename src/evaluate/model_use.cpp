#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"

#include "cone_networks/cone_fit.hpp"
#include "cone_networks/model_file.hpp"
#include "options/option_json.hpp"

namespace cone {

std::vector<std::string> estimators_of_model() {
  const auto is_there = [](LearnerId learner) {
    return learner == LearnerId::kNone || learner == LearnerId::kCone;
  };
  std::vector<std::string> names;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (row.needs(LearnerId::kCone) && !row.needs_balance() && is_there(row.outcome) &&
        is_there(row.weights)) {
      names.emplace_back(row.name);
    }
  }
  return names;
}

ModelRun adopt_model(const ConeFit& model, EvaluateOptions options) {
  options.plan = model.plan;
  options.cone = model.options;
  if (options.estimators.empty()) options.estimators = estimators_of_model();
  return {std::move(options), model.seed};
}

void require_model_of(const ConeFit& model, const std::string& model_name, const Dataset& data,
                      const std::string& data_name) {
  if (model.data_checksum == data.checksum()) return;
  throw Error(ErrorCode::kData, {{.file = model_name},
                                 fmt::format("was fitted to other data than {}", data_name),
                                 "name the data it was fitted to, or fit a model with cone fit"});
}

void add_provenance(const Provenance& provenance, const LoadedData& data,
                    EvaluationRecord& record) {
  record.config["data"] = provenance.data;
  record.config.update(option_json(provenance.table));
  if (provenance.model != nullptr) record.config["model"] = model_checksum(*provenance.model);
  record.notes = data.notes;
  record.timing_seconds["load"] = provenance.load_seconds;
  record.timing_seconds["total"] = provenance.total_seconds;
}

}  // namespace cone
