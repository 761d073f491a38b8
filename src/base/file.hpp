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
/// nothing yet. Throws Error(kUsage) where they lead in a circle.
std::filesystem::path follow_links(const std::filesystem::path& path);

/// A file that is going to be written. Whether it can be is found out when this is made, before a
/// long computation: its temporary file is opened beside it then, without a name where the file
/// system allows that. Bytes go there; write() flushes them to disk and renames the file over
/// `path`, so that a reader sees the old file or the whole new one. Without write() nothing changes
/// and nothing stays. The new file has the permissions of the one it replaces. Symbolic links are
/// followed; what is not a regular file (a pipe, a device) is opened and written to as it is.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path);

  /// Why it cannot be written, as errno has it; 0 where nothing speaks against it.
  int error() const { return error_; }
  /// Once. Throws Error(kIo), and what `body` throws; the old file stays then.
  void write(const std::function<void(std::ostream&)>& body);

 private:
  void open_in_place(bool is_pipe);
  void open_temporary();

  std::filesystem::path named_;   ///< as the user wrote it
  std::filesystem::path target_;  ///< behind the links
  int error_ = 0;
  std::optional<Descriptor> in_place_;  ///< of a pipe nobody reads yet: not open
  std::optional<Temporary> temporary_;
  std::optional<unsigned> permissions_;  ///< of the file that it replaces
};

/// Whether the path itself is wrong for this reason, and another one may do; otherwise the machine
/// is at fault (no space, no descriptors).
bool is_fault_of_path(int error);

/// Writes a file that nobody made sure of before: PendingFile(path).write(body).
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(std::ostream&)>& body);

}  // namespace cone
