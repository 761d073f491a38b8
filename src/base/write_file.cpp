#include <array>
#include <cerrno>
#include <streambuf>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/temporary.hpp"

namespace cone {
namespace {

/// The output side of a descriptor. Unlike a file stream it says why a write failed.
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
  std::array<char, std::size_t{1} << 16> bytes_;
};

/// `named` is what the user called the file.
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

void write_in_place(const std::filesystem::path& path,
                    const std::function<void(std::ostream&)>& write) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) fail_writing(path, errno_text());
  write_to(file.number(), path, write);
}

}  // namespace

void write_atomically(const std::filesystem::path& path,
                      const std::function<void(std::ostream&)>& write) {
  const PathKind kind = path_kind(path);
  if (kind == PathKind::kOther) return write_in_place(path, write);
  if (kind == PathKind::kFolder) fail_writing(path, "it is a folder");
  const std::filesystem::path target = follow_links(path);
  struct stat old {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  // What only the owner may read is never readable to others in the meantime.
  Temporary file = Temporary::create_file(target, path, replaces ? 0600 : 0666);
  write_to(file.descriptor(), path, write);
  constexpr mode_t kPermissions = 0777;
  if (replaces && ::fchmod(file.descriptor(), old.st_mode & kPermissions) != 0) {
    fail_writing(path, errno_text());
  }
  if (::fsync(file.descriptor()) != 0) fail_writing(path, errno_text());
  if (::rename(file.path().c_str(), target.c_str()) != 0) fail_writing(path, errno_text());
  file.release();
}

}  // namespace cone
