#pragma once

#include <string>
#include <vector>

#include "cone_networks/cone_fit.hpp"
#include "data/load_options.hpp"
#include "evaluate/evaluate.hpp"

// What every front end does around evaluate(): with a model that was fitted before, and with the
// record afterwards.

namespace cone {

/// The estimators that need nothing but cone's networks.
std::vector<std::string> estimators_of_model();

/// The seed and the options of an evaluation by a fitted model: plan, networks and seed are the
/// model's, and where no estimators are named, those that need nothing else.
struct ModelRun {
  EvaluateOptions options;
  std::uint64_t seed = 0;
};
ModelRun adopt_model(const ConeFit& model, EvaluateOptions options);

/// Throws Error(kData) unless the model was fitted to this data. The names are for the message.
void require_model_of(const ConeFit& model, const std::string& model_name, const Dataset& data,
                      const std::string& data_name);

/// Where the data and the networks of an evaluation came from.
struct Provenance {
  std::string data;  ///< as the user named it
  LoadOptions table;
  const ConeFit* model = nullptr;  ///< from a file; nullptr where it was fitted for this run
  double load_seconds = 0;
  double total_seconds = 0;
};

/// Puts it into the record, with the choices that the loader made.
void add_provenance(const Provenance& provenance, const LoadedData& data, EvaluationRecord& record);

}  // namespace cone
