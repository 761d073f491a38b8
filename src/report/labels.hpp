#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cone::report {

/// Names as labels of a chart, each of at most `most` characters (12 or more). Long names lose
/// their middle, as similar names often differ at the end; labels that are still equal get numbers.
/// The table of the figure has the full names.
std::vector<std::string> label_texts(std::span<const std::string> names, std::size_t most);

}  // namespace cone::report
