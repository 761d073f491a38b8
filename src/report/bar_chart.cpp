#include "report/bar_chart.hpp"

#include <algorithm>
#include <cmath>

#include "report/chart.hpp"
#include "report/labels.hpp"
#include "report/number_text.hpp"

namespace cone::report {

Html bar_chart(std::span<const BarRow> rows, std::string_view title, std::string_view description) {
  constexpr double kBarRow = 32;
  Chart chart(title, description, kBarRow * static_cast<double>(rows.size()) + 4);
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const BarRow& row : rows) names.push_back(row.label);
  const std::vector<std::string> labels = label_texts(names, 28);
  double top = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BarRow& row = rows[i];
    const double share = std::isfinite(row.share) ? std::clamp(row.share, 0.0, 1.0) : 0;
    chart.text(0, top + 14, "start", labels[i]);
    chart.text(1, top + 14, "end", row.text);
    chart.bar(0, 1, top + 19, 8, "box");
    chart.bar(0, share, top + 19, 8, "one");
    top += kBarRow;
  }
  return chart.finish();
}

}  // namespace cone::report
