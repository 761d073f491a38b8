#include "study/effects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "study/joined_estimates.hpp"
#include "study/value_study.hpp"

namespace cone {
namespace {

struct PublishedEffects {
  std::string_view method, source, network;
  double root_pehe = 0;
  double ate_error = 0;
};

// For κ2 = 1; draws, splits and replicates differ between the sources.
constexpr std::string_view kAuthors = "results in the authors' repository";
constexpr std::string_view kReruns = "third-party reruns of public code, three replicates";
constexpr PublishedEffects kPublished[] = {
    {"NetDeconf", kAuthors, "BlogCatalog", 4.54, 1.10},
    {"NetDeconf", kAuthors, "Flickr", 6.38, 0.92},
    {"NetDeconf", kReruns, "BlogCatalog", 3.44, 0.23},
    {"NetDeconf", kReruns, "Flickr", 6.94, 1.77},
    {"GIAL", kReruns, "BlogCatalog", 3.29, 0.37},
    {"GIAL", kReruns, "Flickr", 6.27, 0.80},
    {"GDC", kReruns, "BlogCatalog", 3.88, 1.04},
    {"GDC", kReruns, "Flickr", 6.38, 0.82},
    {"best published rerun", "published reruns", "BlogCatalog", 3.26, 0.16},
    {"best published rerun", "published reruns", "Flickr", 6.10, 0.25},
};

/// Summarises the replicates of one cell, which are `stride` units apart.
EffectsCell summarise_effects(std::span<const UnitRecord> records, std::size_t first,
                              std::size_t stride) {
  EffectsCell cell;
  std::vector<double> root_pehe;
  std::vector<double> ate_error;
  for (std::size_t u = first; u < records.size(); u += stride) {
    const UnitRecord& record = records[u];
    const bool failed = record.status == UnitStatus::kFailed;
    const double pehe = failed ? kNaN : number_or_nan(record.result.at("root_pehe"));
    const double ate = failed ? kNaN : number_or_nan(record.result.at("ate_error"));
    if (std::isfinite(pehe) && std::isfinite(ate)) {
      root_pehe.push_back(pehe);
      ate_error.push_back(ate);
    } else {
      ++cell.num_missing;
    }
  }
  cell.root_pehe = mean_and_error(root_pehe);
  cell.ate_error = mean_and_error(ate_error);
  return cell;
}

}  // namespace

std::vector<EffectsRow> effects_rows(std::span<const std::string> estimators) {
  const std::vector<std::string_view> known = outcome_models();
  std::vector<Fault> faults;
  for (const std::string& name : estimators) {
    if (std::ranges::find(known, name) != known.end()) continue;
    faults.push_back({{.item = "--estimators"},
                      fmt::format("'{}' is not a direct method", name),
                      fmt::format("choose among {}", fmt::join(known, ", "))});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
  std::vector<std::string> names(estimators.begin(), estimators.end());
  if (names.empty()) names.assign(known.begin(), known.end());
  std::vector<EffectsRow> rows;
  for (const std::string& name : names) {
    rows.push_back({.label = name, .estimator = name});
    if (!is_network_row(name)) continue;
    rows.push_back({.label = name + ", undersmoothing 1",
                    .estimator = name,
                    .network_ridge = {.undersmoothing = 1}});
    rows.push_back({.label = name + ", shrunken effects",
                    .estimator = name,
                    .network_ridge = {.undersmoothing = 1},
                    .is_shrunk = true});
  }
  rows.push_back({.label = std::string(kOracleLabel), .estimator = "dm_ridge", .is_oracle = true});
  return rows;
}

EffectsTable reproduce_effects(const Context& context, std::span<const StudyNetwork> networks,
                               int replicates, std::span<const std::string> estimators,
                               const UnitWork& work) {
  const std::vector<EffectsRow> rows = effects_rows(estimators);
  EffectsTable table{.replicates = replicates, .seed = context.seed()};
  for (const EffectsRow& row : rows) table.rows.push_back(row.label);
  std::vector<Unit> units;
  for (const StudyNetwork& network : networks) {
    table.networks.push_back(network.name);
    for (const double kappa2 : kEffectStrengths) {
      const StudySetting setting = effects_setting(network, kappa2, context.seed());
      for (int replicate = 0; replicate < replicates; ++replicate) {
        for (const EffectsRow& row : rows) {
          units.push_back(effects_unit(setting, static_cast<std::uint64_t>(replicate), row));
        }
      }
    }
  }
  const UnitsReport report = run_units(context, work, units, "effects");
  note_units(units, report, table.run);
  const std::size_t num_rows = table.rows.size();
  const std::size_t per_strength = static_cast<std::size_t>(replicates) * num_rows;
  std::size_t begin = 0;
  for (std::size_t n = 0; n < networks.size(); ++n) {
    auto& by_row = table.cells.emplace_back(num_rows);
    for (std::size_t k = 0; k < std::size(kEffectStrengths); ++k, begin += per_strength) {
      const auto records = std::span(report.records).subspan(begin, per_strength);
      for (std::size_t r = 0; r < num_rows; ++r) {
        by_row[r].push_back(summarise_effects(records, r, num_rows));
      }
    }
  }
  return table;
}

StudyReport report_effects(const EffectsTable& table) {
  using Form = StudyColumn::Form;
  const std::string ours = "this run";
  StudyReport report{
      .lead =
          fmt::format("{} replicates, effects of the test nodes (60/20/20)\n\n", table.replicates),
      .table = StudyTable({{"network"},
                           {"kappa2"},
                           {"model", "outcome model"},
                           {"root_pehe", "root PEHE", Form::kAdaptive, 0, "root_pehe_error"},
                           {"root_pehe_error"},
                           {"ate_error", "|ATE error|", Form::kAdaptive, 0, "ate_error_error"},
                           {"ate_error_error"},
                           {"num_missing"},
                           {"source"}}),
      .run = table.run};
  for (std::size_t n = 0; n < table.networks.size(); ++n) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      for (std::size_t k = 0; k < std::size(kEffectStrengths); ++k) {
        const auto& [pehe, ate, num_missing] = table.cells[n][r][k];
        report.table.add({table.networks[n], kEffectStrengths[k], table.rows[r], pehe.mean,
                          pehe.error, ate.mean, ate.error, num_missing, ours});
      }
    }
    for (const PublishedEffects& p : kPublished) {
      if (p.network != table.networks[n]) continue;
      report.table.add({p.network, 1.0, p.method, p.root_pehe, {}, p.ate_error, {}, {}, p.source});
    }
    report.shown.push_back(
        show(report.table, {.title = table.networks[n] + ": mean over replicates ± standard error",
                            .only = {{"network", table.networks[n]}},
                            .keys = {"model", "source"},
                            .across = "kappa2",
                            .shown = {{"root_pehe"}, {"ate_error"}}}));
  }
  report.json = study_json("effects/1", {{"replicates", table.replicates}, {"seed", table.seed}});
  report.json["networks"] = report.table.nested({{"network", "models"}});
  for (auto& network : report.json["networks"]) {
    const auto rows = std::exchange(network["models"], nlohmann::ordered_json::array());
    network["published"] = nlohmann::ordered_json::array();
    for (const auto& row : rows) {
      network[row.at("source") == ours ? "models" : "published"].push_back(row);
    }
  }
  return report;
}

}  // namespace cone
