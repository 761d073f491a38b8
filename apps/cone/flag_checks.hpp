#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "options/given_options.hpp"

namespace cone::app {

// What can be said of the flags before any work. All throw Error(kUsage).

/// A file to write; an empty name where the flag was not given.
struct OutputFile {
  const char* flag;
  std::string file;
};

/// Refuses files that cannot be written because their folder is not there or they are folders
/// themselves, and one file for two outputs.
void check_output_files(const std::vector<OutputFile>& outputs);

/// Refuses outputs that would replace what is read: the files of the data, policies, a model,
/// options. `inputs` are words of the command line; those that name no file are passed over.
void refuse_inputs_as_outputs(const std::vector<OutputFile>& outputs,
                              const std::vector<std::string>& inputs);

/// Names every flag of a part that cone fit is told not to fit. Without parts nothing is refused.
void refuse_flags_of_parts(const CLI::App& command, const std::vector<std::string>& parts);

/// Which options the command line names, for the checks of idle options. The command must
/// outlive it.
IsGiven flags_given(const CLI::App& command);

}  // namespace cone::app
