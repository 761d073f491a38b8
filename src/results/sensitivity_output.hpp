#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/load.hpp"
#include "cone/sensitivity.hpp"

namespace cone {

inline constexpr std::string_view kSensitivitySchema = "cone.sensitivity/2";

/// The results for one policy and what would overturn them, in sentences: the same in text and
/// JSON.
std::vector<std::string> sensitivity_sentences(const SensitivityReport& report,
                                               const PolicySensitivity& policy);

/// How many times as strong as the benchmark an unmeasured confounder must be to move the value to
/// the threshold; NaN where the strength of the benchmark is not known.
double times_to_explain_away(const SensitivityReport& report, const PolicySensitivity& policy,
                             const Benchmark& benchmark);

/// Sentences, a short table of the bounds, and the benchmarks of every policy.
std::string sensitivity_text(const SensitivityReport& report);

/// What the user asked for: `config` of the record.
struct SensitivityRequest {
  SensitivityOptions options;
  std::vector<std::string> policies;  ///< as given by the user
  std::string against = "logged";
  std::uint64_t seed = 0;
  std::string data;  ///< as given by the user
  LoadOptions table;
};
nlohmann::ordered_json to_json(const SensitivityRequest& request);

/// `config`: what the user asked for.
nlohmann::ordered_json to_json(const SensitivityReport& report, nlohmann::ordered_json config,
                               std::string_view data_checksum);

}  // namespace cone
