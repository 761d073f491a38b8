#pragma once

#include <CLI/CLI.hpp>

#include "cone/options.hpp"

namespace cone::app {

/// Declares --options FILE on a command that also has the flags of ConeOptions: once the command
/// line is read, every option that the file names and no flag set takes the file's value.
/// `options` must outlive the parsing.
std::shared_ptr<const std::string> bind_options_file(CLI::App& command, ConeOptions& options);

}  // namespace cone::app
