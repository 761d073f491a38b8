#include "flag_checks.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cone/error.hpp"
#include "cone/settings.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace cone::app {

void check_output_files(const std::vector<OutputFile>& outputs) {
  std::vector<Fault> faults;
  std::map<std::string, const char*> flag_of;
  for (const auto& [flag, file] : outputs) {
    if (file.empty()) continue;
    if (file == "-") {
      faults.push_back({{.item = flag},
                        "writes a file, never the standard output",
                        "name a file (./- is one that is called -)"});
      continue;
    }
    const std::filesystem::path path = follow_links(file);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (path_kind(folder) != PathKind::kFolder || path_kind(path) == PathKind::kFolder) {
      faults.push_back({{.item = flag},
                        fmt::format("cannot write {}", printable(file)),
                        "name a file in a folder that exists"});
    } else if (path_kind(path) != PathKind::kOther && ::access(folder.c_str(), W_OK) != 0) {
      faults.push_back({{.item = flag},
                        fmt::format("cannot write {}: {}", printable(file),
                                    std::generic_category().message(errno)),
                        "name a file in a folder that you may write to"});
    }
    std::error_code unreadable;  // then the name itself must do
    const std::filesystem::path place = std::filesystem::weakly_canonical(path, unreadable);
    const auto [other, is_new] =
        flag_of.emplace((unreadable ? path.lexically_normal() : place).string(), flag);
    if (is_new || path_kind(path) == PathKind::kOther) continue;  // a device takes any number
    faults.push_back({{.item = flag},
                      fmt::format("names the same file as {}", other->second),
                      "name another one"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

namespace {

/// The files behind a word of the command line: itself, linear:FILE, or the files of a data folder.
std::vector<std::filesystem::path> files_behind(std::string_view word) {
  constexpr std::string_view kLinear = "linear:";
  if (word.starts_with(kLinear)) word.remove_prefix(kLinear.size());
  const std::filesystem::path path(word);
  if (path_kind(path) != PathKind::kFolder) return {path};
  std::vector<std::filesystem::path> files;
  for (const char* name : {"nodes.csv", "edges.csv", "features.csv", "feature_names.csv"}) {
    files.push_back(path / name);
    files.push_back(path / (std::string(name) + ".gz"));
  }
  files.push_back(path / "features.npz");
  return files;
}

}  // namespace

void refuse_inputs_as_outputs(const std::vector<OutputFile>& outputs,
                              const std::vector<std::string>& inputs) {
  std::vector<Fault> faults;
  for (const std::string& input : inputs) {
    for (const std::filesystem::path& read : files_behind(input)) {
      for (const auto& [flag, file] : outputs) {
        std::error_code failure;
        if (file.empty() || path_kind(file) != PathKind::kFile ||
            !std::filesystem::equivalent(file, read, failure)) {
          continue;
        }
        faults.push_back({{.item = flag},
                          fmt::format("would replace {}, which is read", printable(read.string())),
                          "name another file"});
      }
    }
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

void refuse_flags_of_parts(const CLI::App& command, const std::vector<std::string>& parts) {
  std::vector<Fault> faults;
  const auto refuse_unless = [&]<class Options>(const Options& options, const char* part) {
    if (std::find(parts.begin(), parts.end(), part) != parts.end()) return;
    Options::visit(
        options, [&](std::string_view name, const auto&, std::string_view, const Range& = {}) {
          if (command.count(flag_name(name)) == 0) return;
          faults.push_back({{.item = flag_name(name)},
                            fmt::format("has no part in --parts {}", fmt::join(parts, ",")),
                            fmt::format("leave it out, or add {} to --parts", part)});
        });
  };
  if (parts.empty()) return;
  refuse_unless(ConeOptions(), "networks");
  refuse_unless(NetworkRidgeOptions(), "network_ridge");
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

IsGiven flags_given(const CLI::App& command) {
  return [&command](std::string_view name) { return command.count(flag_name(name)) > 0; };
}

}  // namespace cone::app
