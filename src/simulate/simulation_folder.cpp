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

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "options/json_text.hpp"

namespace cone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kManifest = "manifest.json";
/// Every name that a simulation ever writes. No manifest can make us touch another.
constexpr std::array<std::string_view, 8> kFileNames = {
    kManifest,      "nodes.csv",         "edges.csv",  "features.csv",
    "features.npz", "feature_names.csv", "topics.npy", "hidden_edge_weights.csv"};

bool is_file_name(const std::string& name) {
  return std::find(kFileNames.begin(), kFileNames.end(), name) != kFileNames.end();
}

[[noreturn]] void refuse(const fs::path& folder, std::string what, std::string advice) {
  throw Error(ErrorCode::kUsage, {{.file = folder.string()}, std::move(what), std::move(advice)});
}

/// Before anything is simulated.
[[noreturn]] void fail_at_start(const fs::path& folder, int error) {
  const std::string why = std::generic_category().message(error);
  if (!is_fault_of_path(error)) fail_writing(folder, why);
  refuse(folder, "cannot be written: " + why, "name a folder that you may write to");
}

std::string file_checksum(const fs::path& file) {
  const MappedFile mapped(file);
  return Checksum().add(mapped.bytes()).hex();
}

/// The checksums of the files of a simulation, by name; nothing where the folder holds none.
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

std::vector<fs::path> entries_of(const fs::path& folder) {
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

/// The names in the folder that are not an earlier simulation's. Refuses a folder of which not all
/// can be kept.
std::vector<std::string> names_to_keep(const fs::path& folder, const fs::path& named) {
  const std::vector<fs::path> entries = entries_of(folder);
  if (entries.empty()) return {};
  const auto listed = listed_files(folder);
  if (!listed) refuse(named, "has files that are not a simulation's", "name a new folder");
  std::vector<std::string> kept;
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().string();
    if (name == kManifest) continue;
    const auto found = listed->find(name);
    if (!is_file_name(name)) {
      std::error_code ignored;
      if (fs::is_directory(fs::symlink_status(entry, ignored))) {
        refuse(named,
               fmt::format("has the folder '{}', which is not the simulation's", printable(name)),
               "move it, or name a new folder");
      }
      kept.push_back(name);
    } else if (found == listed->end() || path_kind(entry) != PathKind::kFile) {
      refuse(named, fmt::format("has a {} that manifest.json does not list", name),
             "move it, or name a new folder");
    } else if (file_checksum(entry) != found->second) {
      refuse(named, fmt::format("{} is not as it was simulated", name),
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

/// Removes a folder that was being written, or that another took the place of: the files of a
/// simulation, and links to what `target` has. What else is there (a user's file that came in the
/// meantime) moves to the target. True when the folder is gone.
bool remove_folder(const fs::path& folder, const fs::path& target) {
  const bool is_complete = path_kind(folder / kManifest) == PathKind::kFile;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    const bool is_ours = is_file_name(name) || (!is_complete && name.starts_with(kTemporaryPrefix));
    if (name == kManifest) continue;  // goes last: it says what the folder was
    if (is_ours || is_same_entry(entry, target / name)) {
      ::unlink(entry.c_str());
    } else {
      ::renameat2(AT_FDCWD, entry.c_str(), AT_FDCWD, (target / name).c_str(), RENAME_NOREPLACE);
    }
  }
  ::unlink((folder / kManifest).c_str());
  return ::rmdir(folder.c_str()) == 0;
}

/// The same for what a killed process left. Where it was killed between the two renames of
/// exchange() the target is missing, and comes back.
bool recover_folder(const fs::path& folder, const fs::path& target) {
  if (path_kind(target) == PathKind::kMissing && listed_files(folder)) {
    return ::rename(folder.c_str(), target.c_str()) == 0;
  }
  return remove_folder(folder, target);
}

/// The two folders change names, in one step where the file system can. Returns errno.
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
      refuse(named_, "is the current folder or holds it, and is replaced as a whole",
             "name a folder in it, or start from elsewhere");
    }
    if (is_mount_point(target_)) {
      refuse(named_, "is a mount point, and is replaced as a whole", "name a folder in it");
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
  for (const fs::path& file : entries_of(staging())) {
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
    // What came or changed since the beginning counts too.
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
  staging_->release();  // by its name goes the old folder now
  if (remove_folder(staged, target_)) return;
  throw Error(
      ErrorCode::kIo,
      {{.file = named_.string()},
       fmt::format("is new now, but not all of the old one could be removed: {}", staged.string()),
       "remove that, or simulate once more"});
}

}  // namespace cone
