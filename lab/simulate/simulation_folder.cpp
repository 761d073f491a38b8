#include "simulate/simulation_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

#include "base/hash.hpp"

namespace cone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kManifest = "manifest.json";
/// Every file name that a simulation writes. A manifest cannot make us touch any other file.
constexpr std::array<std::string_view, 8> kFileNames = {
    kManifest,      "nodes.csv",         "edges.csv",  "features.csv",
    "features.npz", "feature_names.csv", "topics.npy", "hidden_edge_weights.csv"};

bool is_file_name(const std::string& name) {
  return std::find(kFileNames.begin(), kFileNames.end(), name) != kFileNames.end();
}

[[noreturn]] void refuse(const fs::path& folder, std::string what, std::string advice) {
  throw Error(ErrorCode::kUsage, {{.file = folder.string()}, std::move(what), std::move(advice)});
}

/// Fails before anything is simulated.
[[noreturn]] void fail_at_start(const fs::path& folder, int error) {
  const std::string why = std::generic_category().message(error);
  if (!is_fault_of_path(error)) fail_writing(folder, why);
  refuse(folder, "cannot be written: " + why, "name a folder that you may write to");
}

std::string file_checksum(const fs::path& file) {
  const MappedFile mapped(file);
  return Checksum().add(mapped.bytes()).hex();
}

/// The checksums of the files of a simulation, by name; nullopt without a manifest.
std::optional<std::map<std::string, std::string>> listed_files(const fs::path& folder) {
  Json manifest;
  try {
    manifest = parse_json(MappedFile(folder / kManifest).bytes(), "", "");
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!manifest.is_object() || manifest.value("schema", Json()) != std::string(kManifestSchema)) {
    return std::nullopt;
  }
  std::map<std::string, std::string> checksums;
  for (const Json& file : manifest.value("files", Json::array())) {
    if (!file.is_object()) continue;
    const Json name = file.value("name", Json());
    const Json checksum = file.value("checksum", Json());
    if (name.is_string() && checksum.is_string()) {
      checksums[name.get<std::string>()] = checksum.get<std::string>();
    }
  }
  return checksums;
}

std::vector<fs::path> list_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    entries.push_back(entry->path());
  }
  if (failure) {
    throw Error(ErrorCode::kIo, {{.file = folder.string()},
                                 "cannot be listed: " + failure.message(),
                                 "name a folder that you may read"});
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// The names in the folder that do not belong to an earlier simulation. Refuses a folder in which
/// not all of them can be kept.
std::vector<std::string> names_to_keep(const fs::path& folder, const fs::path& named) {
  const std::vector<fs::path> entries = list_entries(folder);
  if (entries.empty()) return {};
  const auto listed = listed_files(folder);
  if (!listed) refuse(named, "contains files that are not a simulation's", "name a new folder");
  std::vector<std::string> kept;
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().string();
    if (name == kManifest) continue;
    const auto found = listed->find(name);
    if (!is_file_name(name)) {
      std::error_code ignored;
      if (fs::is_directory(fs::symlink_status(entry, ignored))) {
        refuse(named,
               fmt::format("contains the folder '{}', which is not part of the simulation",
                           printable(name)),
               "move it, or name a new folder");
      }
      kept.push_back(name);
    } else if (found == listed->end() || path_kind(entry) != PathKind::kFile) {
      refuse(named, fmt::format("contains {}, which manifest.json does not list", name),
             "move it, or name a new folder");
    } else if (file_checksum(entry) != found->second) {
      refuse(named, fmt::format("{} was changed after the simulation", name),
             "move it, or name a new folder");
    }
  }
  return kept;
}

bool is_mount_point(const fs::path& folder) {
  struct statx info {};
  return ::statx(AT_FDCWD, folder.c_str(), 0, STATX_TYPE, &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// Such a folder cannot be replaced: this process would stay in the one that was moved away.
bool is_or_holds_current_folder(const fs::path& folder) {
  std::error_code failure;
  const fs::path current = fs::current_path(failure);
  if (failure) return false;
  return std::mismatch(folder.begin(), folder.end(), current.begin(), current.end()).first ==
         folder.end();
}

bool is_same_entry(const fs::path& a, const fs::path& b) {
  struct stat of_a {};
  struct stat of_b {};
  return ::lstat(a.c_str(), &of_a) == 0 && ::lstat(b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/// Removes a folder that was being written or has been replaced: the files of a simulation, and
/// links to files of `target`. Any other file (a user's, added in the meantime) moves to the
/// target. True when the folder is gone.
bool remove_folder(const fs::path& folder, const fs::path& target) {
  const bool is_complete = path_kind(folder / kManifest) == PathKind::kFile;
  for (const fs::path& entry : list_entries(folder)) {
    const std::string name = entry.filename().string();
    const bool is_ours = is_file_name(name) || (!is_complete && name.starts_with(kTemporaryPrefix));
    if (name == kManifest) continue;  // removed last: it identifies the folder
    if (is_ours || is_same_entry(entry, target / name)) {
      ::unlink(entry.c_str());
    } else {
      ::renameat2(AT_FDCWD, entry.c_str(), AT_FDCWD, (target / name).c_str(), RENAME_NOREPLACE);
    }
  }
  ::unlink((folder / kManifest).c_str());
  return ::rmdir(folder.c_str()) == 0;
}

/// The same for a folder left by a killed process. Where it was killed between the two renames of
/// exchange() the target is missing and is restored.
bool recover_folder(const fs::path& folder, const fs::path& target) {
  if (path_kind(target) == PathKind::kMissing && listed_files(folder)) {
    return ::rename(folder.c_str(), target.c_str()) == 0;
  }
  return remove_folder(folder, target);
}

/// Exchanges the names of the two folders, atomically where the file system can. Returns errno.
int exchange(const fs::path& staging, const fs::path& target) {
  if (::renameat2(AT_FDCWD, staging.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  Temporary aside = Temporary::create_folder(target, [](const fs::path&) { return false; });
  if (aside.descriptor() < 0) return errno;
  if (::rename(target.c_str(), aside.path().c_str()) != 0) return errno;
  if (::rename(staging.c_str(), target.c_str()) != 0) {
    const int why = errno;
    ::rename(aside.path().c_str(), target.c_str());
    return why;
  }
  return ::rename(aside.path().c_str(), staging.c_str()) == 0 ? 0 : errno;
}

}  // namespace

SimulationFolder::NewParents::~NewParents() {
  for (const fs::path& parent : innermost_first) ::rmdir(parent.c_str());
}

SimulationFolder::SimulationFolder(const fs::path& folder)
    : named_(folder), target_(follow_links(folder.has_filename() ? folder : folder.parent_path())) {
  struct stat info {};
  if (::stat(target_.c_str(), &info) != 0 && errno != ENOENT) fail_at_start(named_, errno);
  std::error_code failure;
  const PathKind kind = path_kind(target_);
  if (kind == PathKind::kFolder) {
    target_ = fs::canonical(target_, failure);
    if (failure) fail_at_start(named_, failure.value());
    if (is_or_holds_current_folder(target_)) {
      refuse(named_, "is or contains the current folder, and would be replaced as a whole",
             "name a folder in it, or run from elsewhere");
    }
    if (is_mount_point(target_)) {
      refuse(named_, "is a mount point, and would be replaced as a whole", "name a folder in it");
    }
  } else if (kind != PathKind::kMissing) {
    refuse(named_, "is not a folder", "name a new folder");
  } else {
    target_ = fs::weakly_canonical(fs::absolute(target_), failure);
    if (failure) fail_at_start(named_, failure.value());
    if (!target_.has_filename()) target_ = target_.parent_path();
    for (fs::path above = target_.parent_path(); path_kind(above) == PathKind::kMissing;
         above = above.parent_path()) {
      new_parents_.innermost_first.push_back(above);
    }
    fs::create_directories(target_.parent_path(), failure);
    if (failure) fail_at_start(named_, failure.value());
  }
  staging_.emplace(Temporary::create_folder(
      target_, [&](const fs::path& left) { return recover_folder(left, target_); }));
  if (staging_->descriptor() < 0) fail_at_start(named_, errno);
  if (path_kind(target_) == PathKind::kFolder) look_at_old();
}

SimulationFolder::~SimulationFolder() {
  if (staging_->path().empty()) return;
  try {
    remove_folder(staging_->path(), target_);
  } catch (const Error&) {  // it cannot be listed; the next simulation tries again
  }
}

/// Refuses what must not be replaced, and gives the new folder the old one's owner and permissions.
void SimulationFolder::look_at_old() {
  old_.emplace(::open(target_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!old_->is_open() || ::fstat(old_->number(), &info) != 0 ||
      ::access(target_.c_str(), W_OK | X_OK) != 0) {
    fail_at_start(named_, errno);
  }
  if (::flock(old_->number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    refuse(named_, "is being written by another process", "wait for it, or name a new folder");
  }
  names_to_keep(target_, named_);
  struct stat ours {};
  constexpr mode_t kPermissions = 07777;
  if (::fstat(staging_->descriptor(), &ours) != 0) fail_writing(named_, errno_text());
  const bool same_owner = ours.st_uid == info.st_uid && ours.st_gid == info.st_gid;
  if (!same_owner && ::fchown(staging_->descriptor(), info.st_uid, info.st_gid) != 0) {
    refuse(named_, "belongs to another user or group", "name a new folder");
  }
  if (::fchmod(staging_->descriptor(), info.st_mode & kPermissions) != 0) {
    fail_writing(named_, errno_text());
  }
}

void SimulationFolder::finish(Json& manifest) {
  manifest["files"] = Json::array();
  for (const fs::path& file : list_entries(staging())) {
    manifest["files"].push_back({{"name", file.filename().string()},
                                 {"bytes", fs::file_size(file)},
                                 {"checksum", file_checksum(file)}});
  }
  write_atomically(staging() / kManifest,
                   [&](std::ostream& out) { out << dump_json(manifest) << '\n'; });
  put_in_place();
}

void SimulationFolder::put_in_place() {
  const fs::path staged = staging();
  if (old_) {
    // Files may have been added or changed since the start.
    for (const std::string& name : names_to_keep(target_, named_)) {
      if (::link((target_ / name).c_str(), (staged / name).c_str()) == 0) continue;
      fail_writing(named_,
                   fmt::format("'{}' could not be kept ({})", printable(name), errno_text()));
    }
  }
  if (::fsync(staging_->descriptor()) != 0) fail_writing(named_, errno_text());
  if (!old_) {
    if (::rename(staged.c_str(), target_.c_str()) != 0) fail_writing(named_, errno_text());
    staging_->release();
    return;
  }
  if (const int error = exchange(staged, target_); error != 0) {
    fail_writing(named_, std::generic_category().message(error));
  }
  staging_->release();  // that name now belongs to the old folder
  if (remove_folder(staged, target_)) return;
  throw Error(ErrorCode::kIo,
              {{.file = named_.string()},
               fmt::format("was replaced, but not all of the old folder could be removed: {}",
                           staged.string()),
               "remove it, or simulate again"});
}

}  // namespace cone
