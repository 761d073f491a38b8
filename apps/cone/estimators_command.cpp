#include <iostream>

#include "cone/estimate.hpp"

#include "commands.hpp"
#include "results/text_table.hpp"

namespace cone::app {
namespace {

constexpr const char* kEstimatorsFooter =
    R"(The outcome model predicts a unit's outcome under each arm. The propensity is the probability
that a unit receives an arm; "propensity on" names the covariates that it is estimated from. Direct
methods (dm) use the outcome model, inverse propensity weighting (ips, snips) uses the propensity,
doubly robust estimators (dr) use both.

Examples:
  cone estimators
  cone evaluate DATA --policy p.csv --estimators snips,dr_ridge)";

}  // namespace

void add_estimators_command(CLI::App& root, Command& chosen) {
  CLI::App* command =
      root.add_subcommand("estimators", "List the estimators, and which models each one needs");
  command->footer(kEstimatorsFooter);
  command->callback([&chosen] {
    chosen = [] {
      using Align = TextTable::Align;
      TextTable table({{"estimator", Align::kLeft},
                       {"outcome model", Align::kLeft},
                       {"propensity on", Align::kLeft},
                       {"description", Align::kLeft}});
      for (const EstimatorInfo& row : estimator_catalogue()) {
        const std::string_view propensity = row.needs_propensity() ? enum_name(row.weights) : "";
        table.add_row({std::string(row.name), std::string(enum_name(row.outcome)),
                       std::string(propensity), std::string(row.summary)});
      }
      std::cout << table.to_string();
      return kSuccess;
    };
  });
}

}  // namespace cone::app
