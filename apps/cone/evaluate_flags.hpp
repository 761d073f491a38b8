#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/load.hpp"

#include "engine.hpp"
#include "explanation_flags.hpp"
#include "flags.hpp"
#include "outputs.hpp"

namespace cone::app {

/// All flags of cone evaluate.
struct EvaluateFlags {
  std::string data;
  LoadOptions table;
  std::vector<std::string> policies;
  std::string json;
  std::string report;
  bool report_ids = false;
  std::string nodes;
  std::string budget_curve;
  std::string model;
  EngineFlags engine;
  bool details = false;
  bool takes_rows_of_model = false;  ///< no --estimators beside --model
  ExplanationFlags explanations;
  std::shared_ptr<const std::string> options_file;
  CommonFlags run;
  EvaluateOptions options;
};

/// Refuses, before anything is read, flags that contradict each other or have no effect on the run.
/// Throws Error(kUsage).
void check_evaluate_flags(const CLI::App& command, const EvaluateFlags& flags);

/// The output files that flags name.
Outputs open_outputs(const EvaluateFlags& flags);

/// The same for flags that depend on the data: --attention and --embeddings where no estimator uses
/// cone's networks.
void refuse_idle_explanations(const EvaluateFlags& flags, const Dataset& data);

}  // namespace cone::app
