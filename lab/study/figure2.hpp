#pragma once

#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "study/study.hpp"
#include "study/study_errors.hpp"
#include "study/study_report.hpp"

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
  StudyRun run;
};

/// Figure 2 of Guo, Li and Liu (2020): γ, ζ ∈ {1e-6, 1e-4, 1e-2, 1, 100} at κ2 = 2 on every
/// network, the other options as in table 2. Resumes from the records of `store`.
Figure2 reproduce_figure2(const Context& context, std::span<const StudyNetwork> networks,
                          const StudyOptions& options, const UnitWork& work);

/// Heat maps of RMSE and MAE, one row of maps per network, as an SVG image.
std::string figure2_svg(const Figure2& figure);
/// With that picture.
StudyReport report_figure2(const Figure2& figure);

}  // namespace cone
