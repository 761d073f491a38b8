#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "options/json_number.hpp"
#include "study/effects.hpp"
#include "study/titled_table.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

std::vector<TitledTable> effects_tables(const EffectsTable& table) {
  std::vector<TitledTable> tables;
  for (std::size_t n = 0; n < table.networks.size(); ++n) {
    TitledTable out{
        .title = fmt::format("{}: mean over replicates ± standard error", table.networks[n]),
        .columns = {"outcome model"}};
    for (const double kappa2 : kEffectStrengths) {
      out.columns.push_back(fmt::format("root PEHE, kappa2 = {}", kappa2));
      out.columns.push_back(fmt::format("|ATE error|, kappa2 = {}", kappa2));
    }
    out.columns.emplace_back("source");
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      std::vector<TitledTable::Cell> row = {{table.rows[r]}};
      for (const EffectsCell& cell : table.cells[n][r]) {
        row.push_back({value_with_error(cell.root_pehe.mean, cell.root_pehe.error)});
        row.push_back({value_with_error(cell.ate_error.mean, cell.ate_error.error)});
      }
      row.push_back({"this run"});
      out.rows.push_back(std::move(row));
    }
    for (const PublishedEffects& published : published_effects()) {
      if (published.network != table.networks[n]) continue;
      std::vector<TitledTable::Cell> row = {{std::string(published.method)}};
      for (const double kappa2 : kEffectStrengths) {
        row.push_back({kappa2 == 1 ? sentence("{:.2f}", published.root_pehe) : ""});
        row.push_back({kappa2 == 1 ? sentence("{:.2f}", published.ate_error) : ""});
      }
      row.push_back({std::string(published.source)});
      out.rows.push_back(std::move(row));
    }
    tables.push_back(std::move(out));
  }
  return tables;
}

}  // namespace

std::string effects_text(const EffectsTable& table) {
  return fmt::format("{} replicates, effects of the test nodes (60/20/20)\n\n", table.replicates) +
         tables_text(effects_tables(table));
}

std::string effects_markdown(const EffectsTable& table) {
  return tables_markdown(effects_tables(table));
}

std::string effects_csv(const EffectsTable& table) {
  std::string text =
      "network,kappa2,model,root_pehe,root_pehe_error,ate_error,ate_error_error,num_missing,"
      "source\n";
  for (std::size_t n = 0; n < table.networks.size(); ++n) {
    for (std::size_t k = 0; k < std::size(kEffectStrengths); ++k) {
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const EffectsCell& cell = table.cells[n][r][k];
        text +=
            csv_line("\"{}\",{},\"{}\",{},{},{},{},{},this run\n", table.networks[n],
                     kEffectStrengths[k], table.rows[r], cell.root_pehe.mean, cell.root_pehe.error,
                     cell.ate_error.mean, cell.ate_error.error, cell.num_missing);
      }
    }
    for (const PublishedEffects& published : published_effects()) {
      if (published.network != table.networks[n]) continue;
      text += csv_line("\"{}\",1,\"{}\",{},,{},,,\"{}\"\n", published.network, published.method,
                       published.root_pehe, published.ate_error, published.source);
    }
  }
  return text;
}

Json effects_json(const EffectsTable& table) {
  Json json = {{"schema", "cone.effects/1"},
               {"version", std::string(kVersion)},
               {"revision", std::string(source_revision())},
               {"commit", std::string(build_commit())},
               {"replicates", table.replicates},
               {"seed", table.seed},
               {"networks", Json::array()}};
  for (std::size_t n = 0; n < table.networks.size(); ++n) {
    Json network = {
        {"name", table.networks[n]}, {"models", Json::array()}, {"published", Json::array()}};
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      for (std::size_t k = 0; k < std::size(kEffectStrengths); ++k) {
        const EffectsCell& cell = table.cells[n][r][k];
        network["models"].push_back({{"model", table.rows[r]},
                                     {"kappa2", kEffectStrengths[k]},
                                     {"root_pehe", json_number(cell.root_pehe.mean)},
                                     {"root_pehe_error", json_number(cell.root_pehe.error)},
                                     {"ate_error", json_number(cell.ate_error.mean)},
                                     {"ate_error_error", json_number(cell.ate_error.error)},
                                     {"num_missing", cell.num_missing}});
      }
    }
    for (const PublishedEffects& published : published_effects()) {
      if (published.network != table.networks[n]) continue;
      network["published"].push_back({{"model", std::string(published.method)},
                                      {"kappa2", 1},
                                      {"root_pehe", published.root_pehe},
                                      {"ate_error", published.ate_error},
                                      {"source", std::string(published.source)}});
    }
    json["networks"].push_back(std::move(network));
  }
  return json;
}

}  // namespace cone
