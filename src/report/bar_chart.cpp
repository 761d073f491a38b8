#include "report/bar_chart.hpp"

#include <algorithm>
#include <cmath>

#include "report/chart.hpp"
#include "report/number_text.hpp"

namespace cone::report {

Html bar_chart(std::span<const BarRow> rows, std::string_view title, std::string_view description) {
  constexpr double kBarRow = 32;
  Chart chart(title, description, kBarRow * static_cast<double>(rows.size()) + 4);
  double top = 0;
  for (const BarRow& row : rows) {
    const double share = std::isfinite(row.share) ? std::clamp(row.share, 0.0, 1.0) : 0;
    chart.text(0, top + 14, "start", cut_text(row.label, 28));
    chart.text(1, top + 14, "end", row.words);
    chart.bar(0, 1, top + 19, 8, "box");
    chart.bar(0, share, top + 19, 8, "one");
    top += kBarRow;
  }
  return chart.finish();
}

}  // namespace cone::report
