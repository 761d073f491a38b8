#pragma once

#include <string_view>

#include "study/table2.hpp"

namespace cone {

/// The published figure for one of our methods (Guo, Li and Liu 2020, Counterfactual Evaluation of
/// Treatment Assignment Functions with Networked Observational Data, SDM, Table 2), if any.
std::optional<PaperFigure> paper_table2(std::string_view method, std::string_view setting);

}  // namespace cone
