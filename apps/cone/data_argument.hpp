#pragma once

#include <string>

#include "cone/context.hpp"
#include "cone/load.hpp"

namespace cone::app {

/// The help of the argument DATA.
inline constexpr const char* kDataHelp = "CSV file, folder, .mat file, or demo";

/// What the argument DATA names: a table, a folder, a .mat file, or the built-in network `demo`.
LoadedData load_named(const Context& context, const std::string& name, const LoadOptions& options);

/// Choices the loader made and likely mistakes, on stderr.
void print_notes(const LoadedData& data);

}  // namespace cone::app
