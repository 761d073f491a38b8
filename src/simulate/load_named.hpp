#pragma once

#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/load.hpp"

namespace cone {

/// What a user calls data: a table, a folder, a .mat file, or, where nothing on the disk has that
/// name, the built-in network `demo`.
LoadedData load_named(const Context& context, const std::string& name, const LoadOptions& options);

}  // namespace cone
