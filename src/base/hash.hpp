#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A checksum of rows that may be added in any order, and by different ranks: the sums of the
/// halves of their 128-bit XXH3. A row should contain its number.
class RowChecksum {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    put_bytes(std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  void put(std::span<const T> values) {
    put(std::uint64_t{values.size()});
    put_bytes(std::as_bytes(values));
  }
  void end_row();
  const std::array<std::uint64_t, 2>& sums() const { return sums_; }

 private:
  void put_bytes(std::span<const std::byte> bytes) {
    row_.insert(row_.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::byte> row_;
  std::array<std::uint64_t, 2> sums_ = {0, 0};
};

}  // namespace cone
