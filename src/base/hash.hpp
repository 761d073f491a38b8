#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cone {

/// 64-bit XXH3 of the bytes: for tables and random-number items, not for identities on disk.
std::uint64_t hash64(std::string_view bytes);

/// Streaming 128-bit XXH3, as 32 hexadecimal digits. Identifies data and runs; detects accidents,
/// not adversaries.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;

  Checksum& add_bytes(const void* data, std::size_t size);
  /// The length goes in first, so that ("ab","c") and ("a","bc") differ.
  Checksum& add(std::string_view text);
  template <class T>
  Checksum& add(std::span<const T> values) {
    add_size(values.size());
    return add_bytes(values.data(), values.size_bytes());
  }
  Checksum& add_size(std::uint64_t size) { return add_bytes(&size, sizeof size); }

  std::string hex() const;

  /// The state, for another process of the same program to continue from.
  std::vector<std::byte> save() const;
  void resume(std::span<const std::byte> saved);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cone
