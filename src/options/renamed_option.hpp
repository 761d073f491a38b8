#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace cone {

/// The present name of an option that had another one before 0.1.0 was released (the table of
/// CHANGELOG.md); empty for every other word. Only messages use it: old names are not accepted.
constexpr std::string_view renamed_option(std::string_view old_name) {
  constexpr std::array kRenamed = {
      std::pair<std::string_view, std::string_view>{"robust", "sensitivity_interval"},
      std::pair<std::string_view, std::string_view>{"ask_about", "split_on"},
  };
  for (const auto& [old, present] : kRenamed) {
    if (old == old_name) return present;
  }
  return {};
}

/// The option that other packages for causal inference and machine learning know by this name;
/// empty for every other word. For "did you mean".
constexpr std::string_view familiar_option(std::string_view name) {
  using Names = std::pair<std::string_view, std::string_view>;
  constexpr std::array kFamiliar = {
      Names{"alpha", "level"},   Names{"random_state", "seed"}, Names{"n_jobs", "threads"},
      Names{"n_rep", "repeats"}, Names{"n_folds", "folds"},     Names{"policies", "policy"},
      Names{"cv", "folds"},      Names{"clusters", "cluster"},  Names{"covariates", "features"},
  };
  for (const auto& [familiar, ours] : kFamiliar) {
    if (familiar == name) return ours;
  }
  return {};
}

}  // namespace cone
