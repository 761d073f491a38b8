#pragma once

#include "cone/dataset.hpp"
#include "cone/simulate.hpp"

namespace cone::app {

/// The help of the argument DATA, which load_named() reads.
inline constexpr const char* kDataHelp = "CSV file, folder, .mat file, or demo";

/// Choices the loader made and likely mistakes, on stderr.
void print_notes(const LoadedData& data);

}  // namespace cone::app
