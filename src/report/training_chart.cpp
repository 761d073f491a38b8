#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kTrainingTop = 22;
constexpr double kTrainingBottom = 172;
/// Losses above this multiple of the first belong to a diverged training: they are drawn at the
/// edge and ignored by the scale.
constexpr double kLargestGrowth = 3;

/// A line of the chart.
struct LossPart {
  const char* key;
  const char* title;
  const char* style;
};

constexpr std::array kLossParts = {
    LossPart{"training_loss", "training, total", "curve"},
    LossPart{"validation_loss", "validation", "curve2"},
    LossPart{"outcome_loss", "outcome", "curve3"},
    LossPart{"treatment_loss", "treatment", "curve4"},
    LossPart{"information_loss", "mutual information", "curve5"},
};

struct LossCurve {
  LossPart part;
  std::vector<double> losses;
};

std::vector<LossCurve> read_losses(const RecordView& curves, std::size_t num_points) {
  std::vector<LossCurve> read;
  for (const LossPart& part : kLossParts) {
    const auto found = curves.find(part.key);
    if (!found) continue;
    read.push_back({part, found->numbers()});
    if (read.back().losses.size() != num_points) found->fail("does not have one loss per epoch");
  }
  return read;
}

Axis loss_axis(const std::vector<LossCurve>& curves) {
  std::vector<double> values;
  double largest = std::numeric_limits<double>::infinity();
  for (const LossCurve& curve : curves) {
    for (const double loss : curve.losses) {
      if (std::isfinite(loss) && std::isinf(largest)) largest = kLargestGrowth * std::abs(loss);
      if (std::abs(loss) <= largest) values.push_back(loss);
    }
  }
  return make_axis(values, 5);
}

/// Three digits: a fold has about a hundred losses.
std::string loss_text(double loss) {
  return std::isfinite(loss) ? fmt::format("{:.3g}", loss) : std::string(kNoNumber);
}

Html loss_table(const std::vector<double>& epochs, const std::vector<LossCurve>& curves,
                const std::string& name) {
  std::vector<std::string> titles = {"epoch"};
  for (const LossCurve& curve : curves) titles.emplace_back(curve.part.title);
  Table table(std::move(titles));
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    std::vector<std::string> cells = {count_text(epochs[i])};
    for (const LossCurve& curve : curves) cells.push_back(loss_text(curve.losses[i]));
    table.add_row(cells);
  }
  return table.finish(name);
}

/// The loss at the selected epoch: the validation loss if there is one.
double selected_loss(const std::vector<LossCurve>& curves, std::size_t at) {
  const bool is_validated = curves.size() > 1 && std::string_view(curves[1].part.key) ==
                                                     std::string_view(kLossParts[1].key);
  return curves[is_validated ? 1 : 0].losses[at];
}

}  // namespace

Html training_legend() {
  Html legend;
  for (const LossPart& part : kLossParts) {
    legend += html(
        R"(<span><svg width="28" height="12" aria-hidden="true"><path d="M0 6h28" class="{}"/></svg> {}</span> )",
        std::string_view(part.style), std::string_view(part.title));
  }
  legend += html(
      R"(<span><svg width="12" height="12" aria-hidden="true"><circle cx="6" cy="6" r="4.5" class="dot"/></svg> selected epoch</span>)");
  return html("<p class=\"legend\">{}</p>\n", legend);
}

Html training_figure(const RecordView& training, std::size_t fold) {
  const auto found = training.find("curves");
  if (!found) return {};
  const std::vector<double> epochs = found->at("epoch").numbers();
  const std::vector<LossCurve> curves = read_losses(*found, epochs.size());
  if (epochs.empty() || curves.empty()) return {};
  const Axis across = make_axis(epochs, 5, true);
  const Axis up = loss_axis(curves);
  const auto y_of = [&](double loss) {
    return kTrainingBottom - up.share(loss) * (kTrainingBottom - kTrainingTop);
  };
  const std::string name = fmt::format("Training of fold {}", fold);
  Chart chart(name, "One line per term of the loss. The weights of the marked epoch are used.",
              kTrainingBottom + 38);
  chart.horizontal_axis(across, kTrainingTop, kTrainingBottom, "epoch");
  chart.vertical_axis(up, kTrainingTop, kTrainingBottom, "loss");
  for (const LossCurve& curve : curves) {
    std::vector<std::pair<double, double>> line;
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      if (!std::isfinite(curve.losses[i]) || !std::isfinite(epochs[i])) continue;
      line.emplace_back(across.share(epochs[i]), y_of(curve.losses[i]));
    }
    chart.path(line, curve.part.style);
  }
  const double selected = training.number("best_epoch");
  const auto found_epoch = std::find(epochs.begin(), epochs.end(), selected);
  if (found_epoch != epochs.end()) {
    const double loss =
        selected_loss(curves, static_cast<std::size_t>(found_epoch - epochs.begin()));
    if (std::isfinite(loss)) chart.mark(Marker::kCircle, across.share(selected), y_of(loss), "dot");
  }
  const bool is_diverged = training.text("status") == "diverged";
  return figure(
      fmt::format("Fold {}{}: epoch {} of {} selected", fold, is_diverged ? " (diverged)" : "",
                  count_text(selected), count_text(training.number("epochs"))),
      chart.finish(), loss_table(epochs, curves, name), true);
}

}  // namespace cone::report
