#pragma once

#include "report/html.hpp"
#include "report/record_view.hpp"

namespace cone::report {

// Each part of a page is a function of one record (or two). Where the record has nothing for it,
// the part is empty.

/// What to make of it: sentences, values, gains, ranks.
Html answer_section(const RecordView& evaluation);

}  // namespace cone::report
