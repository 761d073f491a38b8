#pragma once

#include <string>

#include "cone/data/dataset.hpp"
#include "cone/exec/context.hpp"

namespace cone::app {

/// What DATA names on a command line: a folder, a .mat file, or the word demo.
LoadedData load_named(const Context& context, const std::string& name);

}  // namespace cone::app
