#pragma once

#include <string_view>

#include "study/table2.hpp"

namespace cone {

/// What Guo, Li and Liu (2020), Table 2, print for one of our methods; none where they have none.
std::optional<PaperFigure> paper_table2(std::string_view method, std::string_view setting);

}  // namespace cone
