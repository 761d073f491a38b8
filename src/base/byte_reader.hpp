#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace cone {

/// Reads the bytes of a binary file (little endian, no padding) front to back and never past their
/// end, whatever sizes they claim. Every fault is an Error(kData) that names the file, what is
/// wrong, and the advice given here. `what` names the thing that is read, for the message.
class ByteReader {
 public:
  /// The bytes must outlive the reader.
  ByteReader(std::string_view bytes, std::string file, std::string advice)
      : rest_(bytes), file_(std::move(file)), advice_(std::move(advice)) {}

  [[noreturn]] void fail(const std::string& what) const;

  std::size_t num_left() const { return rest_.size(); }

  template <class T>
  T next(std::string_view what) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    T value;
    std::memcpy(&value, next_bytes(sizeof value, what).data(), sizeof value);
    return value;
  }
  std::string_view next_bytes(std::uint64_t count, std::string_view what);
  /// A reader of the next bytes alone.
  ByteReader next_part(std::uint64_t count, std::string_view what) {
    return {next_bytes(count, what), file_, advice_};
  }
  /// A length (32 bits), at most `max_length`, then the bytes.
  std::string_view next_text(std::uint32_t max_length, std::string_view what);
  /// A finite double, and a finite positive one.
  double next_finite(std::string_view what);
  double next_positive(std::string_view what);

  /// Fills all of `values`, which must be finite.
  template <class T>
  void next_values(std::span<T> values, std::string_view what) {
    static_assert(std::is_floating_point_v<T>);
    const std::string_view bytes = next_bytes(values.size_bytes(), what);
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    for (const T value : values) {
      if (!std::isfinite(value)) fail_not_finite(what);
    }
  }

 private:
  [[noreturn]] void fail_not_finite(std::string_view what) const;

  std::string_view rest_;
  std::string file_;
  std::string advice_;
};

}  // namespace cone
