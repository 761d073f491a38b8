#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cone/error.hpp"
#include "cone/file.hpp"

#include "base/hash.hpp"

namespace cone {
namespace {

namespace fs = std::filesystem;

/// The most processes that can write to one target at the same time.
constexpr int kMostTemporaries = 1000;

fs::path temporary_path(const fs::path& target, int number) {
  // Of fixed length, so that a target with the longest possible name has a temporary too.
  return target.parent_path() /
         fmt::format("{}{:016x}-{}", kTemporaryPrefix, hash64(target.filename().native()), number);
}

bool is_same_file(const fs::path& path, const struct stat& info) {
  struct stat named {};
  return ::lstat(path.c_str(), &named) == 0 && named.st_dev == info.st_dev &&
         named.st_ino == info.st_ino;
}

/// Locks a file or folder just created. False where another process removed it in between as
/// abandoned, which never happens where the file system has no locks.
bool acquire_lock(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && info.st_nlink > 0;
}

/// Removes a temporary whose process has ended, as its free lock shows. True when nothing is left.
bool remove_abandoned(const fs::path& path, const std::function<bool(const fs::path&)>& remove) {
  const Descriptor found(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!found.is_open()) return errno == ENOENT;
  struct stat info {};
  if (::fstat(found.number(), &info) != 0 || info.st_uid != ::geteuid()) return false;
  if (::flock(found.number(), LOCK_EX | LOCK_NB) != 0) return false;
  // By now its process may have renamed it, and another may have made a new one.
  return !is_same_file(path, info) || remove(path);
}

bool remove_file(const fs::path& path) { return ::unlink(path.c_str()) == 0 || errno == ENOENT; }

/// `create` makes a file or folder of that name and returns its descriptor, or -1 and errno; so
/// does this function.
template <class Create>
std::pair<fs::path, int> create_temporary(const fs::path& target, const Create& create,
                                          const std::function<bool(const fs::path&)>& remove) {
  for (int number = 0; number < kMostTemporaries; ++number) {
    const fs::path path = temporary_path(target, number);
    for (int attempt = 0; attempt < 2; ++attempt) {
      const int descriptor = create(path);
      if (descriptor >= 0) {
        if (acquire_lock(descriptor)) return {path, descriptor};
        ::close(descriptor);
      } else if (errno != EEXIST) {
        return {{}, -1};
      } else if (!remove_abandoned(path, remove)) {
        break;
      }
    }
  }
  errno = EEXIST;
  return {{}, -1};
}

/// A file without a name, which its process can link to a name through /proc; -1 where that is not
/// possible.
int create_nameless(const fs::path& target, unsigned mode) {
  if (::access("/proc/self/fd", X_OK) != 0) return -1;
  const int file = ::open(folder_of(target).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (file >= 0) ::flock(file, LOCK_EX | LOCK_NB);  // in effect once it has a name
  return file;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Temporary Temporary::create_file(const fs::path& target, unsigned mode) {
  if (const int file = create_nameless(target, mode); file >= 0) return {{}, Descriptor(file)};
  auto [path, descriptor] = create_temporary(
      target,
      [&](const fs::path& name) {
        return ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      },
      remove_file);
  return {std::move(path), Descriptor(descriptor)};
}

int Temporary::move_to(const fs::path& target) {
  if (path_.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor());
    auto [path, linked] = create_temporary(
        target,
        [&](const fs::path& name) {
          const int failed =
              ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
          return failed == 0 ? descriptor() : -1;
        },
        remove_file);
    if (linked < 0) return errno;
    path_ = std::move(path);
  }
  if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
  release();
  return 0;
}

Temporary Temporary::create_folder(const fs::path& target,
                                   const std::function<bool(const fs::path&)>& remove) {
  auto [path, descriptor] = create_temporary(
      target,
      [&](const fs::path& name) {
        constexpr unsigned kPermissions = 0777;
        if (::mkdir(name.c_str(), kPermissions) != 0) return -1;
        const int folder = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0) return folder;
        const int why = errno;
        ::rmdir(name.c_str());
        errno = why;
        return -1;
      },
      remove);
  return {std::move(path), Descriptor(descriptor)};
}

Temporary::Temporary(Temporary&& other) noexcept
    : path_(std::exchange(other.path_, {})), descriptor_(std::move(other.descriptor_)) {}

Temporary::~Temporary() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void remove_abandoned_files(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code unknown;
    if (!entry->path().filename().native().starts_with(kTemporaryPrefix)) continue;
    if (entry->symlink_status(unknown).type() != fs::file_type::regular) continue;
    remove_abandoned(entry->path(), remove_file);
  }
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void fail_writing(const fs::path& path, const std::string& why) {
  throw Error(ErrorCode::kIo, {{.file = path.string()},
                               "cannot be written: " + why,
                               "check that the folder exists and has space"});
}

std::string errno_text() { return std::generic_category().message(errno); }

}  // namespace cone
