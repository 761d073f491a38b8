#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/hash.hpp"

namespace cone {

/// Writes a binary file front to back, little endian and without padding, and keeps the count and
/// the checksum of what it wrote. Without a stream it only counts: a header can then state the
/// length of what follows it.
class ByteWriter {
 public:
  ByteWriter() = default;
  explicit ByteWriter(std::ostream& out) : out_(&out) {}

  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    put_bytes(&value, sizeof value);
  }
  /// Without their number.
  template <class T>
  void put_values(std::span<const T> values) {
    static_assert(std::is_arithmetic_v<T>);
    put_bytes(values.data(), values.size_bytes());
  }
  /// The length (32 bits), then the bytes.
  void put_text(std::string_view text);
  void put_bytes(const void* data, std::size_t size);

  std::uint64_t num_bytes() const { return num_bytes_; }
  /// XXH3 of everything so far, 32 hexadecimal digits.
  std::string checksum() const { return checksum_.hex(); }

 private:
  std::ostream* out_ = nullptr;
  std::uint64_t num_bytes_ = 0;
  Checksum checksum_;
};

}  // namespace cone
