#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "cone/context.hpp"

namespace cone {

bool is_gzip(std::string_view bytes);

/// The members of a gzip file, one after the other, unpacked on demand. Memory grows with the
/// output. A file that unpacks to more than 200 times its size (and 64 MiB) is refused as a
/// decompression bomb; beyond 4 GiB it must be unpacked to disk, from where it is read without
/// being held in memory. Zeros may pad the end, as gzip allows; anything else after a member that
/// is not another member is damage. Throws Error(kData) that names the file.
class Gunzip {
 public:
  /// `compressed` must stay valid until is_complete().
  Gunzip(std::string_view compressed, std::string file);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Continues until this many bytes are available, or the file ends.
  void unpack(const Context& context, std::size_t num_bytes);
  bool is_complete() const { return is_complete_; }
  /// The bytes unpacked so far; unpack() invalidates the view.
  std::string_view bytes() const { return {out_.get(), size_}; }

 private:
  struct Stream;
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  void make_room(std::size_t num_bytes);
  void finish_member();

  std::string file_;
  std::string_view rest_;  // of the compressed bytes
  std::size_t compressed_size_;
  std::unique_ptr<Stream> stream_;
  // Grown by realloc, which remaps pages instead of copying bytes: nothing is held twice.
  std::unique_ptr<char, Free> out_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  bool is_complete_ = false;
};

}  // namespace cone
