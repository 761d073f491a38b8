#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// Files that are complete or unchanged, whatever happens; CSV.

namespace cone {

/// Closes a descriptor on scope exit.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// How the names of all temporaries begin.
inline constexpr std::string_view kTemporaryPrefix = ".cone-tmp-";

/// A new, empty file or folder in the folder of the target that it will be renamed to. Its name is
/// derived from the target's (.cone-tmp-HASH-NUMBER), and it is locked as long as its process
/// lives. So the next process that writes to the same target removes what a killed process left
/// behind, and leaves alone what another process is still writing. Where the file system supports
/// it, a file has no name until it is moved: a process that is killed before leaves nothing.
class Temporary {
 public:
  /// Permissions are `mode` less the umask. Where it cannot be made, the descriptor is negative and
  /// errno says why.
  static Temporary create_file(const std::filesystem::path& target, unsigned mode);
  /// The same for a folder. `remove` deletes one that a killed process left; true when it is gone.
  static Temporary create_folder(const std::filesystem::path& target,
                                 const std::function<bool(const std::filesystem::path&)>& remove);

  /// Removes the file, or the folder if it is empty, unless it was released.
  ~Temporary();
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&&) = delete;

  /// Empty while a file has no name.
  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_.number(); }
  /// Renames a file to its target. Returns errno, or 0.
  int move_to(const std::filesystem::path& target);
  /// To be called after it was renamed: there is nothing left to remove.
  void release() { path_.clear(); }

 private:
  Temporary(std::filesystem::path path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  std::filesystem::path path_;
  Descriptor descriptor_;
};

/// Removes the temporary files that killed processes left in a folder, for any target. Files that
/// cannot be listed or removed stay.
void remove_abandoned_files(const std::filesystem::path& folder);

/// The folder of a path.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Throws Error(kIo).
[[noreturn]] void fail_writing(const std::filesystem::path& path, const std::string& why);
/// The message of errno.
std::string errno_text();

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

/// How text is written to cells. A spreadsheet treats a cell that begins with = + - @, a tab or a
/// carriage return as a formula and evaluates it; an apostrophe in front prevents that, and changes
/// the text.
enum class CsvCells { kExact, kSpreadsheetSafe };

/// Lines of a CSV file, quoted where a field needs it, handed to the stream in large blocks (the
/// last one on destruction).
class CsvWriter {
 public:
  explicit CsvWriter(std::ostream& out, CsvCells cells = CsvCells::kExact)
      : out_(out), cells_(cells) {}
  ~CsvWriter() { flush(); }
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  CsvWriter& field(std::string_view text);
  /// The shortest decimals that read back to the same bits of the same type.
  CsvWriter& field(double value);
  CsvWriter& field(float value);
  void end_line();

 private:
  template <class Real>
  CsvWriter& number(Real value);
  void separate();
  void quoted(std::string_view text);
  void flush();

  std::ostream& out_;
  CsvCells cells_;
  std::string buffer_;
  bool at_line_start_ = true;
};

}  // namespace cone
