#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/learning.hpp"
#include "evaluate/model_file.hpp"

namespace cone {
namespace {

bool has_same_labels(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

/// Explains as far as possible how the data, or the way they are read, differ from those of the
/// fit.
Fault explain_mismatch(const FittedModel& model, const Dataset& data,
                       const std::string& data_name) {
  const std::vector<std::string>& arms = model.arms();
  const std::string was = fmt::format("was fitted to {} read with other options: ", data_name);
  if (arms != data.arms && has_same_labels(arms, data.arms)) {
    return {.what = fmt::format("{}its control arm is '{}', here it is '{}'", was,
                                printable(arms[0]), printable(data.arms[0])),
            .advice = fmt::format("use --control {} as for cone fit", printable(arms[0]))};
  }
  if (arms != data.arms) {
    return {.what = fmt::format("was fitted to other data than {}, or to another column of it: its "
                                "arms are {}, here they are {}",
                                data_name, list_arms(arms), list_arms(data.arms)),
            .advice = "as for cone fit, use the same data, --treatment and --control"};
  }
  const std::size_t num_features = data.features.matrix.cols();
  if (model.networks && model.networks->num_features != num_features) {
    return {.what = fmt::format("was fitted to other data than {}, or to the same read with other "
                                "options: to {} features, here there are {}",
                                data_name, grouped(model.networks->num_features),
                                grouped(num_features)),
            .advice =
                "as for cone fit, use the same data, --features, --ignore, --categories and "
                "--missing"};
  }
  return {
      .what = fmt::format(
          "was fitted to other data than {}, or to the same read with other options", data_name),
      .advice =
          "use the same data, --outcome, --weight, --missing and other data options as "
          "for cone fit; or fit a model to this data with cone fit"};
}

}  // namespace

std::vector<std::string> estimators_of_model(const FittedModel& model) {
  const auto is_there = [&](LearnerId learner) {
    return learner == LearnerId::kNone || learner == LearnerId::kLogistic ||
           learner == LearnerId::kNetworkTreatment ||
           (learner == LearnerId::kCone && model.networks) ||
           (learner == LearnerId::kNetworkRidge && model.network_ridge);
  };
  std::vector<std::string> names;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    const bool rests_on_it = row.needs(LearnerId::kCone) || row.needs(LearnerId::kNetworkRidge);
    if (rests_on_it && !row.needs_balance() && is_there(row.outcome) && is_there(row.weights)) {
      names.emplace_back(row.name);
    }
  }
  return names;
}

ModelRun adopt_model(const FittedModel& model, EvaluateOptions options) {
  options.plan = model.plan();
  if (model.networks) options.cone = model.networks->options;
  if (model.network_ridge) options.network_ridge = model.network_ridge->options;
  if (options.estimators.empty()) options.estimators = estimators_of_model(model);
  return {std::move(options), model.seed()};
}

void require_model_of(const FittedModel& model, const std::string& model_name, const Dataset& data,
                      const std::string& data_name) {
  if (model.data_checksum() == data.checksum()) return;
  Fault fault = explain_mismatch(model, data, data_name);
  fault.place.file = model_name;
  throw Error(ErrorCode::kData, std::move(fault));
}

void require_model_for(const FittedModel& model, const std::string& model_name, const Dataset& data,
                       const EvaluateOptions& options) {
  const std::vector<EstimatorInfo> rows = choose_rows(data, options);
  std::vector<Fault> faults;
  const auto require_held = [&](LearnerId learner, bool is_held, const char* name,
                                const char* part) {
    for (const EstimatorInfo& row : rows) {
      if (is_held || !row.needs(learner)) continue;
      faults.push_back(
          {{.item = std::string(row.name)},
           fmt::format("needs {}, which {} does not hold", name, printable(model_name)),
           fmt::format("leave it out of --estimators, or fit a model with --parts {}", part)});
    }
  };
  require_held(LearnerId::kCone, model.networks.has_value(), "cone's networks", "networks");
  require_held(LearnerId::kNetworkRidge, model.network_ridge.has_value(), "the network ridge",
               "network_ridge");
  const bool uses_it = std::any_of(rows.begin(), rows.end(), [](const EstimatorInfo& row) {
    return row.needs(LearnerId::kCone) || row.needs(LearnerId::kNetworkRidge);
  });
  if (!uses_it) {
    faults.push_back({{.item = "--model"},
                      "has no effect with estimators that use neither cone's networks nor the "
                      "network ridge",
                      "add cone or network_dm to --estimators, or leave it out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

void add_provenance(const Provenance& provenance, const LoadedData& data,
                    EvaluationRecord& record) {
  record.config["data"] = provenance.data;
  if (provenance.data_in_memory) record.config["data_in_memory"] = true;
  nlohmann::ordered_json& arguments = record.config["policy_arguments"];
  arguments = nlohmann::ordered_json::array();
  for (const std::optional<std::string>& argument : provenance.policy_arguments) {
    arguments.push_back(argument ? nlohmann::ordered_json(*argument) : nlohmann::ordered_json());
  }
  record.config.update(option_json(provenance.table));
  if (provenance.model != nullptr) {
    record.config["model"] = model_checksum(*provenance.model);
    record.config["model_file"] = provenance.model_file;
  }
  record.notes.insert(record.notes.begin(), data.notes.begin(), data.notes.end());
  record.timing_seconds["load"] = provenance.load_seconds;
  record.timing_seconds["total"] = provenance.total_seconds;
}

}  // namespace cone
