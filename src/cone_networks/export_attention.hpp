#pragma once

#include <ostream>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/file.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"

// What the functions of cone/model.hpp of these names do, for one fit.

namespace cone {

void write_attention(const Context& context, std::ostream& out, const Dataset& data,
                     const ConeFit& fit, CsvCells cells);
void write_representations(const Context& context, std::ostream& out, const Dataset& data,
                           const ConeFit& fit);

}  // namespace cone
