#pragma once

#include <string>

#include "report/record_view.hpp"

namespace cone::report {

/// Whether lower outcomes are better, in this part of a record; higher ones are where it does not
/// say.
inline bool prefers_lower(const RecordView& part) {
  const auto found = part.find("lower_is_better");
  return found && !found->is_null() && found->flag();
}

/// "deaths, lower is better", in this part of a record.
std::string direction_words(const RecordView& part);

}  // namespace cone::report
