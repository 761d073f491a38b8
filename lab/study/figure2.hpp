#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "study/study.hpp"
#include "study/table2.hpp"

namespace cone {

/// Errors when γ and ζ are chosen by a criterion in every simulation and run.
struct SelectionResult {
  std::string criterion;
  ErrorSummary errors;
};

/// How cone's error depends on γ and ζ in one setting.
struct ParameterMap {
  std::string setting;
  ConeOptions options;                           ///< except gamma and zeta
  std::vector<std::vector<ErrorSummary>> cells;  ///< gamma × zeta
  std::vector<SelectionResult> selections;
};

struct Figure2 {
  std::vector<double> values;  ///< of γ and of ζ
  std::vector<ParameterMap> maps;
  StudyOptions study;
  std::uint64_t seed = 0;

  // Differs from run to run, so kept apart from the results.
  double seconds = 0;  ///< core seconds
  std::size_t num_units = 0;
  std::size_t num_reused = 0;
  std::vector<std::string> failures;
  std::vector<std::string> remarks;
};

/// Figure 2 of Guo, Li and Liu (2020): γ, ζ ∈ {1e-6, 1e-4, 1e-2, 1, 100} at κ2 = 2 on every
/// network, the other options as in table 2. Resumes from the records of `store`.
Figure2 reproduce_figure2(const Context& context, std::span<const StudyNetwork> networks,
                          const StudyOptions& options, const UnitWork& work);

std::string figure2_text(const Figure2& figure);
std::string figure2_markdown(const Figure2& figure);
std::string figure2_csv(const Figure2& figure);
nlohmann::ordered_json figure2_json(const Figure2& figure);
/// Heat maps of RMSE and MAE, one row of maps per network, as an SVG image.
std::string figure2_svg(const Figure2& figure);

}  // namespace cone
