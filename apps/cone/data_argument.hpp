#pragma once

#include <string>

#include "cone/data/load.hpp"
#include "cone/exec/context.hpp"

namespace cone::app {

/// The help of the argument DATA.
inline constexpr const char* kDataHelp = "CSV file, folder, .mat file, or demo";

/// What the argument DATA names: a table, a folder, a .mat file, or the built-in network `demo`.
LoadedData load_named(const Context& context, const std::string& name, const LoadOptions& options);

}  // namespace cone::app
