#include "base/byte_reader.hpp"

#include <bit>

#include <fmt/format.h>

#include "cone/error.hpp"

namespace cone {

static_assert(std::endian::native == std::endian::little, "files are little endian");

void ByteReader::fail(const std::string& what) const {
  throw Error(ErrorCode::kData, {{.file = file_}, what, advice_});
}

void ByteReader::fail_not_finite(std::string_view what) const {
  fail(fmt::format("{}: a number is not finite", what));
}

std::string_view ByteReader::next_bytes(std::uint64_t count, std::string_view what) {
  if (count > rest_.size()) fail(fmt::format("ends before {}", what));
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

std::string_view ByteReader::next_text(std::uint32_t max_length, std::string_view what) {
  const auto length = next<std::uint32_t>(what);
  if (length > max_length) {
    fail(fmt::format("{}: {} bytes of text, but at most {} are allowed", what, length, max_length));
  }
  return next_bytes(length, what);
}

double ByteReader::next_finite(std::string_view what) {
  const auto value = next<double>(what);
  if (!std::isfinite(value)) fail_not_finite(what);
  return value;
}

double ByteReader::next_positive(std::string_view what) {
  const double value = next_finite(what);
  if (value <= 0) fail(fmt::format("{}: {} is not positive", what, value));
  return value;
}

}  // namespace cone
