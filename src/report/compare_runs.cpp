#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/direction.hpp"
#include "report/sections.hpp"

namespace cone::report {
namespace {

std::string data_checksum(const RecordView& evaluation) {
  const auto checksum = evaluation.at("data").find("checksum");
  return checksum ? checksum->text() : std::string();
}

std::string option_text(const RecordView& evaluation, const char* name) {
  const auto value = evaluation.at("config").find(name);
  return value ? value->text() : std::string();
}

std::vector<std::string> arm_labels(const RecordView& evaluation) {
  std::vector<std::string> labels;
  for (const RecordView& arm : evaluation.at("data").entries("arms")) {
    labels.push_back(arm.text("label"));
  }
  return labels;
}

/// A text of the decision; empty where it is missing.
std::string decided_text(const RecordView& evaluation, const char* name) {
  const auto decision = evaluation.find("decision");
  const auto value = decision ? decision->find(name) : std::nullopt;
  return value ? value->text() : std::string();
}

bool has_costs(const RecordView& evaluation) {
  const auto decision = evaluation.find("decision");
  return decision && decision->find("costs").has_value();
}

bool counts_lower(const RecordView& evaluation) {
  const auto decision = evaluation.find("decision");
  return decision && prefers_lower(*decision);
}

/// Policies with the same name but different assignments in the two runs.
std::vector<std::string> changed_policies(const RecordView& before, const RecordView& after) {
  std::map<std::string, std::string> checksums;
  for (const RecordView& policy : before.at("policies").entries()) {
    if (const auto sum = policy.find("checksum")) checksums[policy.text("name")] = sum->text();
  }
  std::vector<std::string> names;
  for (const RecordView& policy : after.at("policies").entries()) {
    const auto sum = policy.find("checksum");
    const auto found = checksums.find(policy.text("name"));
    if (sum && found != checksums.end() && found->second != sum->text()) {
      names.push_back(policy.text("name"));
    }
  }
  return names;
}

}  // namespace

RunDifferences compare_runs(const RecordView& before, const RecordView& after) {
  RunDifferences found;
  const bool is_other_data = data_checksum(before) != data_checksum(after);
  const std::string was = option_text(before, "outcome");
  const std::string is = option_text(after, "outcome");
  if (is_other_data && was != is) {
    const auto name = [](const std::string& column) {
      return column.empty() ? std::string("outcome") : column;
    };
    found.has_other_outcome = true;
    found.sentences.push_back(
        fmt::format("The outcome changed from {} to {}: the values of the two runs are not "
                    "comparable.",
                    name(was), name(is)));
  } else if (is_other_data) {
    found.sentences.emplace_back(
        "The two runs use different data, or different columns: a value may have changed because "
        "the units changed, not the effect of the policy.");
  }
  if (arm_labels(before) != arm_labels(after)) {
    found.sentences.emplace_back("The two runs have different arms.");
  } else if (!is_other_data) {
    // On other units the assignments of a policy differ anyway.
    const std::vector<std::string> changed = changed_policies(before, after);
    if (!changed.empty()) {
      found.sentences.push_back(fmt::format(
          "Policies with the same name but different assignments: {}.", fmt::join(changed, ", ")));
    }
  }
  const std::string old_target = decided_text(before, "target");
  const std::string new_target = decided_text(after, "target");
  if (!old_target.empty() && !new_target.empty() && old_target != new_target) {
    found.sentences.emplace_back(
        "One run is for the sample and the other for the population: intervals for the population "
        "are wider for that reason alone.");
  }
  const std::string old_estimator = decided_text(before, "estimator");
  const std::string new_estimator = decided_text(after, "estimator");
  if (!old_estimator.empty() && !new_estimator.empty() && old_estimator != new_estimator) {
    found.sentences.push_back(
        fmt::format("The estimator changed from {} to {}: part of a difference may be due to it.",
                    old_estimator, new_estimator));
  }
  if (counts_lower(before) != counts_lower(after)) {
    found.sentences.emplace_back(
        "Lower outcomes are better in one run and higher ones in the other: ranks and the best "
        "policy are the other way round.");
  }
  if (has_costs(before) != has_costs(after)) {
    found.sentences.emplace_back("Only one of the two runs is net of costs.");
  }
  return found;
}

}  // namespace cone::report
