#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

/// The sentences of a list of entries, one per line; of a long list only the cautions.
Html sentences_of(const std::vector<RecordView>& entries) {
  constexpr std::size_t kMostLines = 6;
  Html lines;
  std::size_t left_out = 0;
  for (const RecordView& entry : entries) {
    if (entries.size() > kMostLines && entry.text("verdict") != "caution") {
      ++left_out;
    } else {
      lines += html("<li>{}\n", entry.text("sentence"));
    }
  }
  if (left_out > 0) lines += html("<li>{} of {} are ok\n", left_out, entries.size());
  return lines.empty() ? lines : html("<ul>{}</ul>\n", lines);
}

Html folded(std::string_view title, std::string_view remark, const Html& body) {
  return html("<details class=\"fold\"><summary>{} <small>{}</small></summary>\n{}</details>\n",
              title, remark, body);
}

/// Open where an entry is a caution, else folded away.
Html show_findings(const char* title, const std::vector<RecordView>& entries, const Html& body) {
  for (const RecordView& entry : entries) {
    if (entry.text("verdict") != "caution") continue;
    return html("<h3>{}</h3>\n{}", std::string_view(title), body);
  }
  return folded(title, "ok", body);
}

/// Figures side by side where there is room, with their sentences above.
Html group(const char* title, const std::vector<RecordView>& entries,
           Html (*figure_of)(const RecordView&)) {
  if (entries.empty()) return {};
  Html figures;
  for (const RecordView& entry : entries) figures += figure_of(entry);
  return show_findings(title, entries,
                       html("{}<div class=\"pair\">{}</div>\n", sentences_of(entries), figures));
}

Html one(const char* title, const std::vector<RecordView>& entries, const Html& figure) {
  if (entries.empty() || figure.empty()) return {};
  return show_findings(title, entries, html("{}{}", sentences_of(entries), figure));
}

Html model_tables(const RecordView& diagnostics) {
  Html out;
  Table outcome({"outcome model", "out-of-sample R²"});
  const std::vector<RecordView> outcomes = diagnostics.entries("outcome_models");
  for (const RecordView& model : outcomes) {
    outcome.add_row({model.text("name"), number_text(model.number("r_squared"))});
  }
  if (!outcomes.empty()) out += outcome.finish("Outcome models");
  Table propensity(
      {"propensity model", "minimum", "maximum", "log loss", "log loss of a constant", "clipped"});
  const std::vector<RecordView> propensities = diagnostics.entries("propensity_models");
  for (const RecordView& model : propensities) {
    propensity.add_row({model.text("name"), number_text(model.number("min")),
                        number_text(model.number("max")), number_text(model.number("log_loss")),
                        number_text(model.number("constant_log_loss")),
                        percent_text(model.number("clipped_fraction"))});
  }
  if (!propensities.empty()) out += propensity.finish("Propensity models");
  Table training({"fold", "status", "epochs", "best epoch", "outcome loss", "treatment loss"});
  const std::vector<RecordView> trainings = diagnostics.entries("trainings");
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    const RecordView& fold = trainings[i];
    training.add_row({std::to_string(i + 1), fold.text("status"), count_text(fold.number("epochs")),
                      count_text(fold.number("best_epoch")),
                      number_text(fold.number("validation_outcome_loss")),
                      number_text(fold.number("validation_treatment_loss"))});
  }
  if (!trainings.empty()) {
    out += html("<p>Training of cone's networks by fold:</p>\n{}",
                training.finish("Training of the networks"));
  }
  if (out.empty()) return {};
  return folded("Models", "", out);
}

/// Training curves of cone's networks by fold, where the record has them.
Html training_charts(const RecordView& diagnostics) {
  Html figures;
  std::size_t fold = 0;
  std::size_t drawn = 0;
  for (const RecordView& training : diagnostics.entries("trainings")) {
    const Html figure = training_figure(training, ++fold);
    drawn += figure.empty() ? 0 : 1;
    figures += figure;
  }
  if (drawn == 0) return {};
  Html words = html(
      "<p class=\"soft\">Where the validation loss rises while the training loss falls, the "
      "networks overfit: the weights of the marked epoch are used (early stopping).</p>\n");
  if (drawn < fold) {
    words += html("<p class=\"soft\">{} of {} folds; the others are in the table of models.</p>\n",
                  drawn, fold);
  }
  return folded("Training of cone's networks", "",
                html("{}{}<div class=\"pair\">{}</div>\n", training_legend(), words, figures));
}

}  // namespace

Html diagnostics_section(const RecordView& evaluation) {
  const auto found = evaluation.find("diagnostics");
  if (!found) return {};
  const RecordView& d = *found;
  Html out;
  out += group("Overlap: could every unit have received every arm?", d.entries("overlap"),
               overlap_figure);
  if (const auto weights = d.find("weights")) {
    out += one("Weights", weights->entries(),
               weights_figure(*weights, d.number("num_evaluated_nodes")));
  }
  out += group("Calibration: do the propensities match the observed shares?",
               d.entries("calibration"), calibration_figure);
  out += group("Balance: are covariates balanced after weighting?", d.entries("balance"),
               balance_figure);
  out += group("Residuals of the outcome model by degree", d.entries("residuals_by_degree"),
               degree_figure);
  if (const auto shares = d.find("variance_shares")) {
    out += one("Variance components", shares->entries(), shares_figure(*shares));
  }
  if (const auto stability = d.find("stability")) {
    out += one("Stability across folds", stability->entries(), stability_figure(*stability));
  }
  if (const auto sample = evaluation.find("network_sample"); sample && !sample->is_null()) {
    out += folded("The network", "", network_figure(*sample));
  }
  out += training_charts(d);
  out += model_tables(d);
  if (out.empty()) return {};
  return html("<h2 id=\"diagnostics\">Diagnostics</h2>\n{}", out);
}

}  // namespace cone::report
