#include "data/mat5_element.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "data/data_fault.hpp"

namespace cone {
namespace {

constexpr std::size_t kSmallDataBytes = 4;

std::size_t item_bytes(MatType type) {
  switch (type) {
    case MatType::kInt8:
    case MatType::kUint8:
      return 1;
    case MatType::kInt16:
    case MatType::kUint16:
      return 2;
    case MatType::kInt32:
    case MatType::kUint32:
    case MatType::kSingle:
      return 4;
    case MatType::kDouble:
    case MatType::kInt64:
    case MatType::kUint64:
      return 8;
    case MatType::kMatrix:
    case MatType::kCompressed:
      break;
  }
  return 0;
}

}  // namespace

MatElement MatCursor::next() {
  if (rest_.size() < kTagBytes) fail_damaged(place_, "it ends within a tag");
  const auto first = load_little_endian<std::uint32_t>(rest_, 0);
  const auto second = load_little_endian<std::uint32_t>(rest_, 1);
  // A size in the upper half of the first word marks the packed form.
  if (const std::uint32_t small_size = first >> 16; small_size != 0) {
    if (small_size > kSmallDataBytes) fail_damaged(place_, "a packed tag is malformed");
    const MatElement element{static_cast<MatType>(first & 0xffffU), rest_.substr(4, small_size)};
    rest_.remove_prefix(kTagBytes);
    return element;
  }
  rest_.remove_prefix(kTagBytes);
  if (second > rest_.size()) {
    fail_damaged(place_,
                 fmt::format("a tag declares {} bytes, but {} are left", second, rest_.size()));
  }
  const MatElement element{static_cast<MatType>(first), rest_.substr(0, second)};
  // Compressed elements are not padded; some writers leave the padding of the last element out.
  const std::size_t padding =
      element.type == MatType::kCompressed ? 0 : (kTagBytes - second % kTagBytes) % kTagBytes;
  rest_.remove_prefix(std::min<std::size_t>(second + padding, rest_.size()));
  return element;
}

std::size_t count_numbers(const MatElement& element, const Place& place) {
  const std::size_t size = item_bytes(element.type);
  if (size == 0) {
    fail_damaged(place,
                 fmt::format("type {} is not numeric", static_cast<std::uint32_t>(element.type)));
  }
  if (element.bytes.size() % size != 0) fail_damaged(place, "it ends within a number");
  return element.bytes.size() / size;
}

}  // namespace cone
