#pragma once

#include <nlohmann/json.hpp>

#include "cone/record.hpp"

namespace cone {

nlohmann::ordered_json decision_json(const Decision& decision);

}  // namespace cone
