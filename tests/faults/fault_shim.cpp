// Preloaded (LD_PRELOAD) into a program under test. Counts the calls that create, write, sync, move
// or remove something in one folder, writes each to a log, and makes one of them fail or the
// process end there.
//
//   CONE_FAULT_FOLDER  calls on paths below it count
//   CONE_FAULT_LOG     "NUMBER CALL PATH" lines go here; outside of that folder
//   CONE_FAULT_CALL    the number (from 1) of the call to disturb; 0 disturbs none
//   CONE_FAULT_ERROR   the errno it fails with; 0 kills the process instead, before the call
//   CONE_FAULT_NO_EXCHANGE  where set, two folders cannot be exchanged in one step
//   CONE_FAULT_NO_TMPFILE   where set, unnamed files (O_TMPFILE) are not supported

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string path_of(int descriptor) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path);
  return size < 0 ? "" : std::string(path, static_cast<std::size_t>(size));
}

std::string path_of(int folder, const char* path) {
  if (path[0] == '/') return path;
  char current[PATH_MAX];
  if (folder != AT_FDCWD) return path_of(folder) + "/" + path;
  return std::string(::getcwd(current, sizeof current) == nullptr ? "" : current) + "/" + path;
}

/// Whether the call goes through. Otherwise errno is set.
bool allow(const char* call, const std::string& path) {
  static std::mutex mutex;
  static int count = 0;
  static const std::string folder = variable("CONE_FAULT_FOLDER");
  static const int chosen = std::atoi(variable("CONE_FAULT_CALL").c_str());
  static const int error = std::atoi(variable("CONE_FAULT_ERROR").c_str());
  static const int log =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, variable("CONE_FAULT_LOG").c_str(),
                                 O_WRONLY | O_CREAT | O_APPEND, 0644));
  const std::scoped_lock lock(mutex);
  if (folder.empty() || path.compare(0, folder.size() + 1, folder + "/") != 0) return true;
  ++count;
  const std::string line = std::to_string(count) + " " + call + " " + path + "\n";
  ::syscall(SYS_write, log, line.data(), line.size());
  if (count != chosen) return true;
  if (error == 0) ::kill(::getpid(), SIGKILL);
  errno = error;
  return false;
}

bool opens_nameless(int flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

/// Flags of an open that can change something.
bool opens_to_create(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 || opens_nameless(flags);
}

/// Flags of an open with a third argument.
bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || opens_nameless(flags); }

/// Whether to simulate a file system without unnamed files.
bool refuse_nameless(int flags) {
  if (!opens_nameless(flags) || variable("CONE_FAULT_NO_TMPFILE").empty()) return false;
  errno = EOPNOTSUPP;
  return true;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (refuse_nameless(flags)) return -1;
  if (opens_to_create(flags) && !allow("open", path_of(AT_FDCWD, path))) return -1;
  return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (refuse_nameless(flags)) return -1;
  if (opens_to_create(flags) && !allow("open", path_of(AT_FDCWD, path))) return -1;
  return next<int (*)(const char*, int, ...)>("open64")(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (refuse_nameless(flags)) return -1;
  if (opens_to_create(flags) && !allow("openat", path_of(folder, path))) return -1;
  return next<int (*)(int, const char*, int, ...)>("openat")(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (std::strpbrk(mode, "wa+") != nullptr && !allow("fopen", path_of(AT_FDCWD, path))) {
    return nullptr;
  }
  return next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (std::strpbrk(mode, "wa+") != nullptr && !allow("fopen", path_of(AT_FDCWD, path))) {
    return nullptr;
  }
  return next<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  if (!allow("write", path_of(file))) return -1;
  return next<ssize_t (*)(int, const void*, size_t)>("write")(file, bytes, size);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  if (!allow("writev", path_of(file))) return -1;
  return next<ssize_t (*)(int, const iovec*, int)>("writev")(file, pieces, count);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  if (!allow("pwrite", path_of(file))) return -1;
  return next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(file, bytes, size, offset);
}

int fsync(int file) {
  if (!allow("fsync", path_of(file))) return -1;
  return next<int (*)(int)>("fsync")(file);
}

int fdatasync(int file) {
  if (!allow("fdatasync", path_of(file))) return -1;
  return next<int (*)(int)>("fdatasync")(file);
}

int ftruncate(int file, off_t size) {
  if (!allow("ftruncate", path_of(file))) return -1;
  return next<int (*)(int, off_t)>("ftruncate")(file, size);
}

int fchmod(int file, mode_t mode) {
  if (!allow("fchmod", path_of(file))) return -1;
  return next<int (*)(int, mode_t)>("fchmod")(file, mode);
}

int fchown(int file, uid_t user, gid_t group) {
  if (!allow("fchown", path_of(file))) return -1;
  return next<int (*)(int, uid_t, gid_t)>("fchown")(file, user, group);
}

int rename(const char* from, const char* to) {
  if (!allow("rename", path_of(AT_FDCWD, to))) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  if (!allow("renameat", path_of(to_folder, to))) return -1;
  return next<int (*)(int, const char*, int, const char*)>("renameat")(from_folder, from, to_folder,
                                                                       to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if ((flags & RENAME_EXCHANGE) != 0 && !variable("CONE_FAULT_NO_EXCHANGE").empty()) {
    errno = EINVAL;
    return -1;
  }
  if (!allow("renameat2", path_of(to_folder, to))) return -1;
  return next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2")(
      from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) noexcept {
  if (!allow("link", path_of(AT_FDCWD, to))) return -1;
  return next<int (*)(const char*, const char*)>("link")(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  if (!allow("linkat", path_of(to_folder, to))) return -1;
  return next<int (*)(int, const char*, int, const char*, int)>("linkat")(from_folder, from,
                                                                          to_folder, to, flags);
}

int unlink(const char* path) noexcept {
  if (!allow("unlink", path_of(AT_FDCWD, path))) return -1;
  return next<int (*)(const char*)>("unlink")(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  if (!allow("unlinkat", path_of(folder, path))) return -1;
  return next<int (*)(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int remove(const char* path) noexcept {
  if (!allow("remove", path_of(AT_FDCWD, path))) return -1;
  return next<int (*)(const char*)>("remove")(path);
}

int rmdir(const char* path) noexcept {
  if (!allow("rmdir", path_of(AT_FDCWD, path))) return -1;
  return next<int (*)(const char*)>("rmdir")(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (!allow("mkdir", path_of(AT_FDCWD, path))) return -1;
  return next<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

}  // extern "C"
