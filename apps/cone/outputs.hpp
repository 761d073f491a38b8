#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "cone/error.hpp"
#include "cone/file.hpp"

namespace cone::app {

/// A file to write; an empty name where the flag was not given.
struct OutputFile {
  const char* flag;
  std::string file;
};

/// The files that a command writes. They are opened before it computes, so that what cannot be
/// written is known then; and one that fails in the end does not affect the others. `--json -` is
/// the standard output.
class Outputs {
 public:
  /// Refuses what cannot be written, one file for two outputs, and files that the command reads:
  /// `inputs` are words of its command line (data, policies, a model, options); those that name no
  /// file are passed over. Throws Error(kUsage), or Error(kIo) where the machine is at fault, with
  /// every fault.
  Outputs(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs);

  /// The record goes to its file, and then the text to the standard output; with --json - the
  /// record goes there instead of the text. To be called before any other output is written.
  void print_answer(const std::string& json, const std::function<std::string()>& record,
                    const std::function<std::string()>& text);

  /// Whether the file was written. No name, no file: false. A failure waits for throw_failures().
  bool write(const std::string& file, const std::function<void(std::ostream&)>& body);

  /// The files that were not attempted.
  std::vector<std::string> left_out() const;

  /// Throws Error(kIo) with all that failed. The last thing that a command does.
  void throw_failures();

 private:
  struct Pending {
    std::string name;
    PendingFile file;
    bool was_tried = false;
  };
  std::vector<Pending> pending_;
  std::vector<Fault> failures_;
};

}  // namespace cone::app
