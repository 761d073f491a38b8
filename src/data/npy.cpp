#include "data/npy.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "data/data_fault.hpp"

namespace cone {
namespace {

/// The few Python literals of a preamble, read from left to right.
class LiteralParser {
 public:
  LiteralParser(std::string_view text, const Place& place) : rest_(text), place_(place) {}

  /// Skips blanks and takes `token` where it comes next.
  bool take(std::string_view token) {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) {
      rest_.remove_prefix(1);
    }
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) malformed();
  }
  bool at_end() { return take("") && rest_.empty(); }

  std::string_view text() {
    const char* quote = take("'") ? "'" : "\"";
    if (*quote == '"') expect("\"");
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) malformed();
    const std::string_view value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return value;
  }

  bool boolean() {
    if (take("True")) return true;
    expect("False");
    return false;
  }

  /// "()", "(3,)", "(3, 4)"
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect("(");
    while (!take(")")) {
      values.push_back(number());
      take("L");  // Python 2
      if (!take(",")) {
        expect(")");
        break;
      }
    }
    return values;
  }

  [[noreturn]] void malformed() const { fail_damaged(place_, "its .npy header is malformed"); }

 private:
  std::uint64_t number() {
    take("");
    std::uint64_t value = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, status] = std::from_chars(rest_.data(), end, value);
    if (status == std::errc::result_out_of_range) {
      fail_damaged(place_, "its .npy header declares an impossible shape");
    }
    if (status != std::errc()) malformed();
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return value;
  }

  std::string_view rest_;
  const Place& place_;
};

/// "<f8": byte order, kind, size.
void parse_descr(std::string_view descr, const Place& place, NpyHeader& header) {
  if (descr.find('O') != std::string_view::npos) {
    fail_data(place,
              "holds Python objects, which are not read: unpickling runs whatever they contain",
              "save a matrix of numbers, e.g. matrix.astype(float)");
  }
  if (descr.starts_with('>')) {
    fail_data(place, fmt::format("is big-endian ('{}')", descr),
              "save it little-endian, e.g. array.astype(array.dtype.newbyteorder('<'))");
  }
  constexpr std::string_view kKinds = "biufSU";
  const bool known = descr.size() >= 3 && (descr[0] == '<' || descr[0] == '|') &&
                     kKinds.find(descr[1]) != std::string_view::npos;
  const char* end = descr.data() + descr.size();
  std::uint32_t size = 0;
  if (!known || std::from_chars(descr.data() + 2, end, size).ptr != end || size == 0) {
    fail_data(place, fmt::format("has the type '{}', which is not supported", descr),
              "save a matrix of numbers, e.g. matrix.astype(float)");
  }
  constexpr std::uint64_t kUnicodeBytes = 4;  // UCS-4
  header.kind = descr[1];
  header.item_bytes = header.kind == 'U' ? kUnicodeBytes * size : size;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const Place& place) {
  LiteralParser parser(text, place);
  NpyHeader header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  const auto first_time = [&](bool& seen) {
    if (std::exchange(seen, true)) parser.malformed();
  };
  parser.expect("{");
  while (!parser.take("}")) {
    const std::string_view key = parser.text();
    parser.expect(":");
    if (key == "descr") {
      first_time(has_descr);
      if (parser.take("[")) {
        fail_data(place, "is a structured array", "save a matrix of numbers");
      }
      parse_descr(parser.text(), place, header);
    } else if (key == "fortran_order") {
      first_time(has_order);
      parser.boolean();
    } else if (key == "shape") {
      first_time(has_shape);
      header.shape = parser.tuple();
    } else {
      parser.malformed();
    }
    if (!parser.take(",")) {
      parser.expect("}");
      break;
    }
  }
  if (!has_descr || !has_order || !has_shape || !parser.at_end()) parser.malformed();
  if (header.shape.size() > 1) {
    fail_data(place, fmt::format("has {} dimensions, must have one", header.shape.size()),
              "save the matrix with scipy.sparse.save_npz");
  }
  if (!header.shape.empty()) header.num_items = header.shape[0];
  std::uint64_t num_bytes = 0;
  if (__builtin_mul_overflow(header.num_items, header.item_bytes, &num_bytes)) {
    fail_damaged(place, "its .npy header declares an impossible shape");
  }
  return header;
}

std::string npy_preamble(std::string_view descr, std::string_view shape) {
  constexpr std::size_t kFixedBytes = 10;  // magic, version, length
  constexpr std::size_t kAlignment = 64;
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
  const std::size_t total =
      (kFixedBytes + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(total - kFixedBytes - 1, ' ');
  text += '\n';
  std::string preamble = "\x93NUMPY\x01";
  preamble += '\0';
  preamble += static_cast<char>(text.size() & 0xffU);
  preamble += static_cast<char>(text.size() >> 8);
  return preamble + text;
}

}  // namespace cone
