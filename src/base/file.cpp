#include "cone/file.hpp"

#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cone/error.hpp"

namespace cone {
namespace {

[[noreturn]] void fail_reading(const std::filesystem::path& path, const std::string& why,
                               const char* advice = "check the path") {
  throw Error(ErrorCode::kData, {{.file = path.string()}, "cannot be read: " + why, advice});
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) fail_reading(path, errno_text());
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) fail_reading(path, errno_text());
  if (S_ISDIR(info.st_mode)) fail_reading(path, "it is a folder", "name a file");
  if (!S_ISREG(info.st_mode)) {
    fail_reading(path, "it is not a regular file but a pipe or a device",
                 "save its contents to a file first");
  }
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ == 0) return;  // mmap refuses empty mappings
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
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

std::filesystem::path follow_links(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;  // as in the kernel
  std::filesystem::path target = path;
  for (int k = 0; k < kMostLinks; ++k) {
    std::error_code failure;
    const std::filesystem::path next = std::filesystem::read_symlink(target, failure);
    if (failure) return target;  // not a link
    target = target.parent_path() / next;
  }
  throw Error(ErrorCode::kUsage, {{.file = path.string()},
                                  "cannot be written: its symbolic links form a loop",
                                  "name another path"});
}

}  // namespace cone
