#include "report/direction.hpp"

#include "data/outcome_direction.hpp"

namespace cone::report {

std::string direction_words(const RecordView& part) {
  const auto outcome = part.find("outcome");
  return direction_text(outcome && !outcome->is_null() ? outcome->text() : "", prefers_lower(part));
}

}  // namespace cone::report
