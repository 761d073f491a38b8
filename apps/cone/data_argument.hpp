#pragma once

#include <string>

#include "cone/data/load.hpp"
#include "cone/exec/context.hpp"

namespace cone::app {

/// What the argument DATA names: a folder, a .mat file, or the built-in network `demo`.
LoadedData load_named(const Context& context, const std::string& name);

}  // namespace cone::app
