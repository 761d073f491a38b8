#pragma once

#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/load.hpp"

namespace cone {

/// Loads a table, a folder, a .mat file or, where no such path exists, the built-in data `demo`.
LoadedData load_named(const Context& context, const std::string& name, const LoadOptions& options);

}  // namespace cone
