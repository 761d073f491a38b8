#pragma once

#include "cone/data/dataset.hpp"
#include "cone/exec/context.hpp"

namespace cone {

/// The built-in data `demo`: a synthetic network of BlogCatalog's size with hidden confounding and
/// known truth, generated on the fly and the same everywhere, whatever the seed of the context.
LoadedData demo_data(const Context& context);

}  // namespace cone
