#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cone/json.hpp"
#include "cone/record.hpp"

#include "base/hash.hpp"
#include "results/evaluation_fields.hpp"

namespace cone {

std::vector<double> round_to_five_digits(std::vector<double> values) {
  for (double& value : values) {
    if (!std::isfinite(value)) continue;
    const std::string digits = fmt::format("{:.5g}", value);
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
  }
  return values;
}

std::string EvaluationRecord::run_id() const {
  nlohmann::ordered_json identity = config;
  // Paths are not part of the identity; checksums stand for the contents.
  for (const char* path : {"data", "data_in_memory", "policy_arguments", "model_file"}) {
    identity.erase(path);
  }
  Checksum checksum;
  checksum.add(dump_json(identity, -1)).add(data.checksum).add(version).add(revision);
  for (const PolicyResult& policy : policies) checksum.add(policy.checksum);
  return checksum.hex();
}

nlohmann::ordered_json to_json(const EvaluationRecord& record) { return record_json(record); }

}  // namespace cone
