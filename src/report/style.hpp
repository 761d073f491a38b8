#pragma once

namespace cone::report {

/// Colours by name, for a light background.
extern const char* const kLightColours;
/// The style sheet of charts.
extern const char* const kChartStyle;
/// The style sheet of the rest of a page, with its colours in dark mode and in print.
extern const char* const kPageStyle;

}  // namespace cone::report
