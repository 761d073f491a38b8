#include "report/embedded_record.hpp"

#include <array>
#include <cctype>
#include <cstdint>

#include <zlib.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

#include "data/inflate.hpp"

namespace cone::report {
namespace {

constexpr std::string_view kOpening = R"(<template id="record" data-encoding="zlib base64">)";
constexpr std::string_view kClosing = "</template>";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

/// A record is mostly digits, where short repeats are accidental and expensive to encode: with
/// Z_FILTERED the result is a tenth smaller.
std::string pack(const std::string& text) {
  constexpr int kLargestWindow = 15;
  constexpr int kUsualMemory = 8;
  z_stream stream{};
  int status = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kLargestWindow, kUsualMemory,
                            Z_FILTERED);
  require(status == Z_OK, "a record can be packed");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  // zlib does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  require(status == Z_STREAM_END, "a record can be packed");
  return packed;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

/// None where a character is not a base64 digit. Stops at '='.
std::optional<std::string> from_base64(std::string_view text) {
  std::array<int, 256> value_of{};
  value_of.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    value_of[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text.substr(0, text.find('='))) {
    if (c == '\n' || c == '\r' || c == ' ') continue;
    const int digit = value_of[static_cast<unsigned char>(c)];
    if (digit < 0) return std::nullopt;
    group = (group << 6U | static_cast<std::uint32_t>(digit)) & 0xFFFFU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFFU);
  }
  return bytes;
}

}  // namespace

Html embed_records(const nlohmann::ordered_json& records) {
  return Html::trusted(std::string(kOpening) + to_base64(pack(dump_json(records, -1))) +
                       std::string(kClosing) + "\n");
}

bool is_page(std::string_view bytes) {
  constexpr std::string_view kDoctype = "<!doctype html";
  std::size_t at = 0;
  while (at < bytes.size() && std::isspace(static_cast<unsigned char>(bytes[at])) != 0) ++at;
  return lower_case(bytes.substr(at, kDoctype.size())) == kDoctype;
}

std::string unpack_records(std::string_view page, const std::string& file) {
  const auto fail = [&](const char* what) {
    throw Error(ErrorCode::kData,
                {{.file = file}, what, "give a page written by --report, unchanged"});
  };
  const std::size_t opening = page.find(kOpening);
  if (opening == page.npos) fail("is a page without the record of a run");
  const std::string_view rest = page.substr(opening + kOpening.size());
  const std::size_t closing = rest.find(kClosing);
  if (closing == rest.npos) fail("ends within its record");
  const std::optional<std::string> packed = from_base64(rest.substr(0, closing));
  std::optional<std::string> text;
  if (packed) text = inflate_prefix(*packed, kMostBytes);
  if (!text) fail("has a damaged record");
  if (text->size() >= kMostBytes) fail("has a record of more than 64 MiB");
  return *std::move(text);
}

}  // namespace cone::report
