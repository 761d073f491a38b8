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

/// What the figures of one policy say, what they rest on, and what would overturn them: plain
/// sentences made from the record, the same in text and JSON.
std::vector<std::string> sensitivity_sentences(const SensitivityReport& report,
                                               const PolicySensitivity& policy);

/// How many times as strong as what was left out a hidden confounder must be to move the value to
/// the threshold; NaN where the benchmark does not tell.
double times_to_explain_away(const SensitivityReport& report, const PolicySensitivity& policy,
                             const Benchmark& benchmark);

/// Sentences, a short table of the bounds, and the benchmarks of every policy.
std::string sensitivity_text(const SensitivityReport& report);

/// What the user asked for, as the record says it.
struct SensitivityRequest {
  SensitivityOptions options;
  std::vector<std::string> policies;  ///< as the user called them
  std::string against = "logged";
  std::uint64_t seed = 0;
  std::string data;  ///< as the user called it
  LoadOptions table;
};
nlohmann::ordered_json to_json(const SensitivityRequest& request);

/// All figures as arrays. `config` is what the user asked for.
nlohmann::ordered_json to_json(const SensitivityReport& report, nlohmann::ordered_json config,
                               std::string_view data_checksum);

}  // namespace cone
