#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "base/temporary.hpp"

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
  /// The same for the whole pages of [begin, end); reading them again loads them again.
  void release(std::size_t begin, std::size_t end) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// What a path leads to, without exceptions: a name too long or a folder that may not be read is
/// kMissing as well.
enum class PathKind { kMissing, kFile, kFolder, kOther };
PathKind path_kind(const std::filesystem::path& path) noexcept;

/// The file that writing to `path` changes: symbolic links are followed, also one whose target does
/// not exist yet. Throws Error(kUsage) where they form a loop.
std::filesystem::path follow_links(const std::filesystem::path& path);

/// A file that is going to be written. The constructor checks, before a long computation, that it
/// can be: it opens a temporary file in the same folder, without a name where the file system
/// allows that. Bytes go there; write() flushes them to disk and renames the file over `path`, so
/// that a reader sees the old file or the complete new one. Without write() nothing changes and
/// nothing remains. The new file has the permissions of the one it replaces. Symbolic links are
/// followed; anything but a regular file (a pipe, a device) is opened and written to directly.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path);

  /// Why it cannot be written, as an errno; 0 where it can.
  int error() const { return error_; }
  /// Once. Throws Error(kIo), and whatever `body` throws; the old file then stays unchanged.
  void write(const std::function<void(std::ostream&)>& body);

 private:
  void open_in_place(bool is_pipe);
  void open_temporary();

  std::filesystem::path named_;   ///< as the user wrote it
  std::filesystem::path target_;  ///< with links resolved
  int error_ = 0;
  std::optional<Descriptor> in_place_;  ///< not open for a pipe without a reader yet
  std::optional<Temporary> temporary_;
  std::optional<unsigned> permissions_;  ///< of the file that it replaces
};

/// Whether the error is due to the path, so that another one may work; otherwise it is due to the
/// machine (no space, no descriptors).
bool is_fault_of_path(int error);

/// Writes a file without checking beforehand that it can be: PendingFile(path).write(body).
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(std::ostream&)>& body);

}  // namespace cone
