#include "cone/base/file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cone/base/error.hpp"

namespace cone {
namespace {

/// Closes a descriptor on scope exit.
struct Descriptor {
  int fd;
  explicit Descriptor(int descriptor) : fd(descriptor) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

[[noreturn]] void fail_reading(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorCode::kData,
              {{.file = path.string()}, "cannot be read: " + why, "check the path"});
}

[[noreturn]] void fail_writing(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorCode::kIo, {{.file = path.string()},
                               "cannot be written: " + why,
                               "check that the folder exists and has space"});
}

std::string errno_text() { return std::generic_category().message(errno); }

/// A new, empty file beside `target`, never one that is already there.
std::filesystem::path create_temporary(const std::filesystem::path& target) {
  constexpr int kMaxTries = 100;
  for (int k = 0; k < kMaxTries; ++k) {
    std::filesystem::path temporary = target;
    temporary += fmt::format(".tmp{}-{}", ::getpid(), k);
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.fd >= 0) return temporary;
    if (errno != EEXIST) break;
  }
  fail_writing(target, errno_text());
}

/// `named` is what the user called the file, for messages.
void write_in_place(const std::filesystem::path& named, const std::filesystem::path& path,
                    const std::function<void(std::ostream&)>& write) {
  std::ofstream out(path, std::ios::binary);
  if (!out) fail_writing(named, errno_text());
  write(out);
  out.flush();
  if (!out) fail_writing(named, errno_text());
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) fail_reading(path, errno_text());
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) fail_reading(path, errno_text());
  if (!S_ISREG(info.st_mode)) fail_reading(path, "it is not a regular file");
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ == 0) return;  // mmap refuses empty mappings
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (mapped == MAP_FAILED) fail_reading(path, errno_text());
  data_ = static_cast<const char*>(mapped);
  ::madvise(mapped, size_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::release(std::size_t begin, std::size_t end) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = end / page * page;
  if (data_ != nullptr && first < last) {
    ::madvise(const_cast<char*>(data_) + first, last - first, MADV_DONTNEED);
  }
}

PathKind path_kind(const std::filesystem::path& path) noexcept {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  switch (status.type()) {
    case std::filesystem::file_type::regular:
      return PathKind::kFile;
    case std::filesystem::file_type::directory:
      return PathKind::kFolder;
    case std::filesystem::file_type::none:
    case std::filesystem::file_type::not_found:
      return PathKind::kMissing;
    default:
      return failure ? PathKind::kMissing : PathKind::kOther;
  }
}

void write_atomically(const std::filesystem::path& path,
                      const std::function<void(std::ostream&)>& write) {
  if (path_kind(path) == PathKind::kOther) return write_in_place(path, path, write);
  std::error_code failure;
  std::filesystem::path target = std::filesystem::canonical(path, failure);
  if (failure) target = path;  // nothing there yet
  const std::filesystem::path temporary = create_temporary(target);
  try {
    write_in_place(path, temporary, write);
    const Descriptor file(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.fd < 0 || ::fsync(file.fd) != 0) fail_writing(path, errno_text());
    std::filesystem::rename(temporary, target, failure);
    if (failure) fail_writing(path, failure.message());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

}  // namespace cone
