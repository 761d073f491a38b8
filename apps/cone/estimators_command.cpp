#include <iostream>

#include "cone/evaluate.hpp"

#include "commands.hpp"

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
      std::cout << estimators_text();
      return kSuccess;
    };
  });
}

}  // namespace cone::app
