#pragma once

namespace cone::report {

/// The style sheet of a page: light and dark, screen and paper, desk and phone.
extern const char* const kStyle;

}  // namespace cone::report
