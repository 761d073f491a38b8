#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace cone::app {

/// The exit statuses of the contract; interrupted_status() is the one of a run that was stopped.
enum ExitStatus : int { kSuccess = 0, kFailure = 1, kBadInput = 2 };

/// Each declares its command on `root` and, when the user chose it, hands the work to `run`.
using Command = std::function<int()>;
void add_evaluate_command(CLI::App& root, Command& chosen);
void add_effects_command(CLI::App& root, Command& chosen);
void add_sensitivity_command(CLI::App& root, Command& chosen);
void add_refute_command(CLI::App& root, Command& chosen);
void add_learn_command(CLI::App& root, Command& chosen);
void add_report_command(CLI::App& root, Command& chosen);
void add_check_command(CLI::App& root, Command& chosen);
void add_tune_command(CLI::App& root, Command& chosen);
void add_fit_command(CLI::App& root, Command& chosen);
void add_simulate_command(CLI::App& root, Command& chosen);
void add_reproduce_command(CLI::App& root, Command& chosen);
void add_estimators_command(CLI::App& root, Command& chosen);
void add_completion_command(CLI::App& root, Command& chosen);

}  // namespace cone::app
