#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "cone/error.hpp"

namespace cone {

/// How the bytes of an element are to be read ("mi" types of the MAT-file format, level 5).
enum class MatType : std::uint32_t {
  kInt8 = 1,
  kUint8 = 2,
  kInt16 = 3,
  kUint16 = 4,
  kInt32 = 5,
  kUint32 = 6,
  kSingle = 7,
  kDouble = 9,
  kInt64 = 12,
  kUint64 = 13,
  kMatrix = 14,
  kCompressed = 15,
};

/// The tag before the data of an element: type and size.
inline constexpr std::size_t kTagBytes = 8;

/// A tagged piece of a MATLAB file: a view into bytes owned elsewhere.
struct MatElement {
  MatType type{};
  std::string_view bytes;
};

/// Walks the elements in a block of bytes. A malformed tag or one that declares more bytes than
/// there are throws Error(kData) at `place`.
class MatCursor {
 public:
  MatCursor(std::string_view bytes, Place place) : rest_(bytes), place_(std::move(place)) {}

  bool at_end() const { return rest_.empty(); }
  const Place& place() const { return place_; }
  /// A tag of 8 bytes, the data and padding to a multiple of 8; or, for up to 4 bytes of data,
  /// everything in 8 bytes.
  MatElement next();

 private:
  std::string_view rest_;
  Place place_;
};

static_assert(std::endian::native == std::endian::little, "MATLAB files are read in place");

template <class T>
T load_little_endian(std::string_view bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// The number of values in a numeric element. Throws Error(kData) where the type is not numeric or
/// the bytes do not hold a whole number of values.
std::size_t count_numbers(const MatElement& element, const Place& place);

/// Calls body(k, value) for the first `count` numbers, as doubles: exact but for 64-bit integers
/// beyond 2^53. `count` must be at most count_numbers().
template <class Body>
void for_each_number(const MatElement& element, std::size_t count, const Body& body) {
  const auto walk = [&]<class T>(T) {
    for (std::size_t k = 0; k < count; ++k) {
      body(k, static_cast<double>(load_little_endian<T>(element.bytes, k)));
    }
  };
  switch (element.type) {
    case MatType::kInt8:
      return walk(std::int8_t{});
    case MatType::kUint8:
      return walk(std::uint8_t{});
    case MatType::kInt16:
      return walk(std::int16_t{});
    case MatType::kUint16:
      return walk(std::uint16_t{});
    case MatType::kInt32:
      return walk(std::int32_t{});
    case MatType::kUint32:
      return walk(std::uint32_t{});
    case MatType::kSingle:
      return walk(float{});
    case MatType::kDouble:
      return walk(double{});
    case MatType::kInt64:
      return walk(std::int64_t{});
    case MatType::kUint64:
      return walk(std::uint64_t{});
    case MatType::kMatrix:
    case MatType::kCompressed:
      break;
  }
  require(false, "mat: element is not numeric");
}

}  // namespace cone
