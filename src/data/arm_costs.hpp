#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/error.hpp"

namespace cone {

// What giving an arm to one node costs, as --cost LABEL=NUMBER says it.

/// A fault for every word that is not of that form.
void check_costs(std::span<const std::string> words, std::vector<Fault>& faults);

/// One cost per arm, 0 where nothing is said. The words have been checked. Throws Error(kUsage) for
/// labels that the data does not have, naming those that it has, and for an arm with two costs.
std::vector<double> read_costs(const Dataset& data, std::span<const std::string> words);

}  // namespace cone
