#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "cone/context.hpp"

#include "base/file.hpp"
#include "data/gunzip.hpp"

namespace cone {

/// The bytes of one input: a mapped file, or bytes held in memory (unpacked, or handed over by a
/// caller that has no file).
class ByteSource {
 public:
  /// Maps the file. Throws Error(kData) when it cannot be read.
  static ByteSource of_file(const std::filesystem::path& path);
  /// The same for bytes; `name` stands for the file in messages.
  static ByteSource of_bytes(std::string bytes, const std::string& name);

  /// Decompresses gzip input until `num_bytes` are available, or all; no effect on other input.
  /// Throws Error(kData) when it is damaged or decompresses to an absurd size.
  void unpack(const Context& context, std::size_t num_bytes);
  void unpack_rest(const Context& context) {
    unpack(context, std::numeric_limits<std::size_t>::max());
  }

  /// Of compressed input, what has been decompressed so far; unpack() invalidates the view.
  std::string_view bytes() const { return packed_ ? packed_->bytes() : stored(); }
  /// Whether another process may change the bytes while they are read.
  bool may_change() const { return map_ && !packed_; }
  /// Releases the pages of a mapped file; reading them again loads them again.
  void release(std::size_t begin, std::size_t end) const {
    if (may_change()) map_->release(begin, end);
  }

 private:
  std::string_view stored() const { return map_ ? map_->bytes() : std::string_view(*owned_); }
  void look_for_gzip(const std::string& name);

  std::unique_ptr<MappedFile> map_;
  std::unique_ptr<std::string> owned_;  // by pointer: moving a short string moves its bytes
  std::unique_ptr<Gunzip> packed_;      // reads from one of them
};

}  // namespace cone
