#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cone/record.hpp"

namespace cone::testing {

/// The record but for its timings, and for what the order of summation decides: how many iterations
/// an iterative solver takes, and which of two arms with the same calibration gap a verdict names.
inline nlohmann::ordered_json take_record(const EvaluationRecord& record) {
  nlohmann::ordered_json out = to_json(record);
  out.erase("timing_seconds");
  nlohmann::ordered_json& diagnostics = out.at("diagnostics");
  if (diagnostics.contains("network_ridge")) diagnostics.at("network_ridge").erase("iterations");
  for (nlohmann::ordered_json& verdict : diagnostics.at("verdicts")) {
    if (verdict.dump().find("mean calibration error") != std::string::npos) {
      verdict.erase("sentence");
    }
  }
  return out;
}

/// Numbers are equal up to the tolerance times the larger of 1 and themselves, all else is equal.
inline void expect_same(const nlohmann::ordered_json& found, const nlohmann::ordered_json& expected,
                        double tolerance, const std::string& name) {
  if (expected.is_number_float() && found.is_number()) {
    const auto wanted = expected.get<double>();
    EXPECT_NEAR(found.get<double>(), wanted, tolerance * std::max(1.0, std::abs(wanted))) << name;
  } else if (expected.is_structured() && found.type() == expected.type()) {
    ASSERT_EQ(found.size(), expected.size()) << name << '\n' << found << '\n' << expected;
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(expected.is_array() || found.contains(key)) << name << ' ' << key;
      const nlohmann::ordered_json& part =
          expected.is_array() ? found.at(std::stoul(key)) : found.at(key);
      expect_same(part, value, tolerance, name + ' ' + key);
    }
  } else {
    EXPECT_EQ(found, expected) << name;
  }
}

}  // namespace cone::testing
