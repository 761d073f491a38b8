#include <cerrno>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cone/file.hpp"

namespace cone {
namespace {

/// An output buffer for a descriptor. Unlike a file stream it reports why a write failed.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) { make_room(); }
  /// Of the first write that failed, or 0.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : sputc(traits_type::to_char_type(c));
  }
  int sync() override {
    for (const char* p = pbase(); p < pptr() && error_ == 0;) {
      const ssize_t written = ::write(descriptor_, p, static_cast<std::size_t>(pptr() - p));
      if (written >= 0) {
        p += written;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    make_room();
    return error_ == 0 ? 0 : -1;
  }

 private:
  void make_room() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  int descriptor_;
  int error_ = 0;
  std::vector<char> bytes_ = std::vector<char>(std::size_t{1} << 16);  // stacks may be small
};

/// `named` is the path as the user gave it.
void write_to(int descriptor, const std::filesystem::path& named,
              const std::function<void(std::ostream&)>& write) {
  DescriptorBuffer buffer(descriptor);
  std::ostream out(&buffer);
  write(out);
  out.flush();
  if (out) return;
  const int error = buffer.error() != 0 ? buffer.error() : EIO;
  fail_writing(named, std::generic_category().message(error));
}

/// The errno that a rename over `target` would give, where it can be predicted.
int foresee_rename(const std::filesystem::path& target, const struct stat& old) {
  struct statx more {};
  if (::statx(AT_FDCWD, target.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &more) == 0) {
    if ((more.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0) return EPERM;
    if ((more.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) return EBUSY;
  }
  struct stat folder {};
  if (::stat(folder_of(target).c_str(), &folder) != 0) return errno;
  const uid_t user = ::geteuid();
  const bool may_replace = user == 0 || user == old.st_uid || user == folder.st_uid;
  return (folder.st_mode & S_ISVTX) != 0 && !may_replace ? EPERM : 0;
}

constexpr mode_t kPermissions = 0777;

}  // namespace

bool is_fault_of_path(int error) {
  switch (error) {
    case ENOENT:
    case EEXIST:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case EBUSY:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
    case ENODEV:
      return true;
    default:
      return false;
  }
}

PendingFile::PendingFile(const std::filesystem::path& path) : named_(path), target_(path) {
  struct stat old {};
  const bool is_there = ::stat(path.c_str(), &old) == 0;
  if (!is_there && errno != ENOENT) {
    error_ = errno;
  } else if (is_there && S_ISDIR(old.st_mode)) {
    error_ = EISDIR;
  } else if (is_there && !S_ISREG(old.st_mode)) {
    open_in_place(S_ISFIFO(old.st_mode));
  } else {
    target_ = follow_links(path);
    if (is_there) permissions_ = old.st_mode & kPermissions;
    if (is_there) error_ = foresee_rename(target_, old);
    if (error_ == 0) open_temporary();
  }
}

void PendingFile::open_in_place(bool is_pipe) {
  // Does not wait for a reader yet: it may itself wait for another output.
  const int file = ::open(target_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 && !(is_pipe && errno == ENXIO)) error_ = errno;
  if (file >= 0) ::fcntl(file, F_SETFL, 0);  // from here on it may wait
  in_place_.emplace(file);
}

void PendingFile::open_temporary() {
  // A file that only the owner may read is never readable to others in the meantime.
  constexpr unsigned kOwner = 0600;
  constexpr unsigned kAll = 0666;
  temporary_.emplace(Temporary::create_file(target_, permissions_ ? kOwner : kAll));
  if (temporary_->descriptor() < 0) error_ = errno;
}

void PendingFile::write(const std::function<void(std::ostream&)>& body) {
  const auto fail_by = [&](int error) {
    fail_writing(named_, std::generic_category().message(error));
  };
  if (error_ != 0) fail_by(error_);
  if (in_place_) {
    const Descriptor opened =
        std::move(*in_place_);  // closed at the end: its reader waits for that
    const Descriptor late(opened.is_open() ? -1 : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!opened.is_open() && !late.is_open()) fail_by(errno);
    return write_to(opened.is_open() ? opened.number() : late.number(), named_, body);
  }
  const int file = temporary_->descriptor();
  write_to(file, named_, body);
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) permissions_ = old.st_mode & kPermissions;
  if (permissions_ && ::fchmod(file, *permissions_) != 0) fail_by(errno);
  if (::fsync(file) != 0) fail_by(errno);
  if (const int error = temporary_->move_to(target_); error != 0) fail_by(error);
}

void write_atomically(const std::filesystem::path& path,
                      const std::function<void(std::ostream&)>& body) {
  PendingFile(path).write(body);
}

}  // namespace cone
