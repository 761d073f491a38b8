#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "cone/context.hpp"

#include "base/file.hpp"

namespace cone {

/// The bytes of one input: a mapped file, or bytes held in memory (unpacked, or handed over by a
/// caller that has no file).
class ByteSource {
 public:
  /// Maps the file; what is compressed by gzip is unpacked into memory. Throws Error(kData) when it
  /// cannot be read, is damaged, or unpacks to an absurd size.
  static ByteSource of_file(const Context& context, const std::filesystem::path& path);
  /// The same for bytes; `name` stands for the file in messages.
  static ByteSource of_bytes(const Context& context, std::string bytes, const std::string& name);

  std::string_view bytes() const { return map_ ? map_->bytes() : std::string_view(*owned_); }
  /// Gives the pages of a mapped file back; reading them again brings them back.
  void release(std::size_t begin, std::size_t end) const {
    if (map_) map_->release(begin, end);
  }

 private:
  std::unique_ptr<MappedFile> map_;
  std::unique_ptr<std::string> owned_;  // a string of its own would move its short contents
};

}  // namespace cone
