#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace cone
