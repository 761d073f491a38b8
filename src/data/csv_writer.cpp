#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "cone/error.hpp"
#include "cone/file.hpp"

namespace cone {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

}  // namespace

CsvWriter& CsvWriter::field(std::string_view text) {
  separate();
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  if (cells_ == CsvCells::kSpreadsheetSafe && is_formula) {
    quoted("'" + std::string(text));
  } else if (text.empty() || text.find_first_of(",\"\r\n") != std::string_view::npos) {
    quoted(text);
  } else {
    buffer_ += text;
  }
  return *this;
}

CsvWriter& CsvWriter::field(double value) { return number(value); }
CsvWriter& CsvWriter::field(float value) { return number(value); }

template <class Real>
CsvWriter& CsvWriter::number(Real value) {
  separate();
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  require(error == std::errc{} && std::isfinite(value), "write: a number that is not finite");
  buffer_.append(digits, end);
  return *this;
}

void CsvWriter::end_line() {
  buffer_ += '\n';
  at_line_start_ = true;
  if (buffer_.size() >= kBlockBytes) flush();
}

void CsvWriter::separate() {
  if (!at_line_start_) buffer_ += ',';
  at_line_start_ = false;
}

void CsvWriter::quoted(std::string_view text) {
  buffer_ += '"';
  for (const char c : text) buffer_.append(c == '"' ? 2 : 1, c);
  buffer_ += '"';
}

void CsvWriter::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace cone
