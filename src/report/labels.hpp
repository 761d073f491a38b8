#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cone::report {

/// Names as labels of a chart, each of at most `most` characters (12 or more). A long name loses
/// its middle, as names that begin alike often end differently; where two labels are still the
/// same, they get numbers. Full names are in the table behind the chart.
std::vector<std::string> label_texts(std::span<const std::string> names, std::size_t most);

}  // namespace cone::report
