#pragma once

#include <ostream>
#include <span>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"

#include "data/csv_writer.hpp"

namespace cone {

/// One line per node, in the order of the data. Columns (docs/records.md) of arms
/// called 0 and 1: id, mu0, mu1, effect, effect_sd, mu_sd0, mu_sd1, part0:NAME ..., part1:NAME ...;
/// of others: id, mu:LABEL ..., effect:LABEL ..., effect_sd:LABEL ..., mu_sd:LABEL ...,
/// part:LABEL:NAME ....
void write_effects(const Context& context, std::ostream& out, const Dataset& data,
                   const NodeEffects& effects, CsvCells cells = CsvCells::kExact);

/// The mean effect of every arm, the share of nodes whose effect has a clear sign, and the variance
/// components of the outcomes. `units`: survey weights over their mean; empty: all 1.
std::string effects_text(std::span<const std::string> arms, const NodeEffects& effects,
                         std::span<const double> units);

}  // namespace cone
