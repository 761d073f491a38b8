#include "results/target_notes.hpp"

#include <fmt/format.h>

#include "cone/estimate.hpp"

namespace cone {

std::vector<std::string> other_target_notes(std::span<const std::string> estimators,
                                            std::string_view target) {
  const std::string_view sample = enum_name(Target::kSample);
  std::vector<std::string> without_model, others;
  for (const std::string& name : estimators) {
    const EstimatorInfo* info = find_estimator(name);
    const bool lacks_model = target == sample && info != nullptr && !info->needs_outcome_model();
    (lacks_model ? without_model : others).push_back(name);
  }
  const std::string missing =
      fmt::format("no standard error for the {}; --target {} has one", target,
                  target == sample ? enum_name(Target::kPopulation) : sample);
  std::vector<std::string> notes;
  if (!without_model.empty()) {
    notes.push_back(
        fmt::format("{}: no outcome model, so {}", fmt::join(without_model, ", "), missing));
  }
  if (!others.empty()) notes.push_back(fmt::format("{}: {}", fmt::join(others, ", "), missing));
  return notes;
}

}  // namespace cone
