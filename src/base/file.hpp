#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace cone {

/// A file mapped read-only. Throws Error(kData) when it cannot be opened or is not a regular file:
/// a pipe, a socket or a device is refused at once. Reading a file that shrank since raises SIGBUS.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  /// Tells the kernel that a prefix is no longer needed, to bound the resident size of a scan.
  void release_before(std::size_t offset) const { release(0, offset); }
  /// The same for the whole pages of [begin, end); reading them again brings them back.
  void release(std::size_t begin, std::size_t end) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// What a path leads to, without exceptions: a name too long or a folder that may not be read is
/// kMissing as well.
enum class PathKind { kMissing, kFile, kFolder, kOther };
PathKind path_kind(const std::filesystem::path& path) noexcept;

/// Where writing to `path` puts the bytes: symbolic links are followed, also one that leads to
/// nothing yet.
std::filesystem::path follow_links(const std::filesystem::path& path);

/// Writes through `write` to a temporary file beside `path`, flushes it to disk and renames it over
/// `path`, so a reader sees the old file or the whole new one. The new file has the permissions of
/// the one it replaces. Symbolic links are followed; what is not a regular file (a pipe, a device)
/// is written to as it is. Throws Error(kIo) and removes the temporary file on failure; what a
/// killed process left is removed by the next write to the same path.
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(std::ostream&)>& write);

}  // namespace cone
