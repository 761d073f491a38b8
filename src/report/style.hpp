#pragma once

namespace cone::report {

/// Colours by name, for light paper.
extern const char* const kLightColours;
/// What the classes of charts look like.
extern const char* const kChartStyle;
/// The rest of a page, and its colours in the dark and on paper.
extern const char* const kPageStyle;

}  // namespace cone::report
