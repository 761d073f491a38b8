#include "outputs.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

namespace cone::app {
namespace {

namespace fs = std::filesystem;

/// The files behind a word of the command line: itself, linear:FILE, or the files of a data folder.
std::vector<fs::path> files_behind(std::string_view word) {
  constexpr std::string_view kLinear = "linear:";
  if (word.starts_with(kLinear)) word.remove_prefix(kLinear.size());
  const fs::path path(word);
  if (path_kind(path) != PathKind::kFolder) return {path};
  std::vector<fs::path> files;
  for (const char* name : {"nodes.csv", "edges.csv", "features.csv", "feature_names.csv"}) {
    files.push_back(path / name);
    files.push_back(path / (std::string(name) + ".gz"));
  }
  files.push_back(path / "features.npz");
  return files;
}

void refuse_inputs(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs,
                   std::vector<Fault>& faults) {
  for (const std::string& input : inputs) {
    for (const fs::path& read : files_behind(input)) {
      for (const auto& [flag, file] : outputs) {
        std::error_code failure;
        if (file.empty() || path_kind(file) != PathKind::kFile ||
            !fs::equivalent(file, read, failure)) {
          continue;
        }
        faults.push_back({{.item = flag},
                          fmt::format("would replace {}, which is read", printable(read.string())),
                          "name another file"});
      }
    }
  }
}

/// The name by which two outputs are compared.
std::string canonical_name(const std::string& file) {
  const fs::path path = fs::absolute(follow_links(file));
  std::error_code unreadable;  // then the name itself must do
  const fs::path canonical = fs::weakly_canonical(path, unreadable);
  return (unreadable ? path.lexically_normal() : canonical).string();
}

Fault describe_refusal(const OutputFile& output, int error) {
  const bool needs_folder = error == ENOENT || error == ENOTDIR || error == EISDIR;
  return {{.item = output.flag},
          fmt::format("cannot write {}: {}", printable(output.file),
                      std::generic_category().message(error)),
          needs_folder              ? "name a file in a folder that exists"
          : is_fault_of_path(error) ? "name a file in a folder that you may write to"
                                    : "check the machine, and run again"};
}

}  // namespace

Outputs::Outputs(const std::vector<OutputFile>& files, const std::vector<std::string>& inputs) {
  std::vector<OutputFile> outputs;
  for (const OutputFile& output : files) {
    const bool is_stdout = output.file == "-" && std::string_view(output.flag) == "--json";
    if (!output.file.empty() && !is_stdout) outputs.push_back(output);
  }
  std::vector<Fault> faults;
  ErrorCode code = ErrorCode::kUsage;
  std::map<std::string, const char*> flag_of;
  for (const OutputFile& output : outputs) {
    if (output.file == "-") {
      faults.push_back({{.item = output.flag},
                        "writes a file, never the standard output",
                        "name a file (./- is one that is called -)"});
      continue;
    }
    pending_.push_back({output.file, PendingFile(output.file)});
    if (const int error = pending_.back().file.error(); error != 0) {
      faults.push_back(describe_refusal(output, error));
      if (!is_fault_of_path(error)) code = ErrorCode::kIo;
      continue;
    }
    const auto [other, is_new] = flag_of.emplace(canonical_name(output.file), output.flag);
    // A device takes any number.
    if (is_new || path_kind(output.file) == PathKind::kOther) continue;
    faults.push_back({{.item = output.flag},
                      fmt::format("names the same file as {}", other->second),
                      "name another one"});
  }
  refuse_inputs(outputs, inputs, faults);
  if (!faults.empty()) throw Error(code, std::move(faults));
}

void Outputs::print_answer(const std::string& json, const std::function<std::string()>& record,
                           const std::function<std::string()>& text) {
  if (json == "-") {
    std::cout << record() << std::endl;
    return;
  }
  write(json, [&](std::ostream& out) { out << record() << '\n'; });
  std::cout << text() << std::flush;
}

bool Outputs::write(const std::string& file, const std::function<void(std::ostream&)>& body) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
    return pending.name == file && !pending.was_tried;
  });
  if (found == pending_.end()) return false;
  found->was_tried = true;
  const auto fail = [&](const std::string& why) {
    failures_.push_back({{.file = file}, "was not written: " + why, "run again"});
  };
  try {
    found->file.write(body);
    return true;
  } catch (const Error& error) {
    failures_.insert(failures_.end(), error.faults().begin(), error.faults().end());
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return false;
}

std::vector<std::string> Outputs::left_out() const {
  std::vector<std::string> names;
  for (const Pending& pending : pending_) {
    if (!pending.was_tried) names.push_back(pending.name);
  }
  return names;
}

void Outputs::throw_failures() {
  if (!failures_.empty()) throw Error(ErrorCode::kIo, std::exchange(failures_, {}));
}

}  // namespace cone::app
