#pragma once

#include <string>

#include "report/number_text.hpp"
#include "report/record_view.hpp"

namespace cone::report {

/// "95 % CI", by the level of this part of a record; "CI" where it has none.
inline std::string interval_name(const RecordView& part) {
  const auto level = part.find("level");
  return level ? number_text(100 * level->number()) + " % CI" : "CI";
}

}  // namespace cone::report
