#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace cone {

/// How text is written to cells. A spreadsheet treats a cell that begins with = + - @, a tab or a
/// carriage return as a formula and evaluates it; an apostrophe in front prevents that, and changes
/// the text.
enum class CsvCells { kExact, kSpreadsheetSafe };

/// Lines of a CSV file, quoted where a field needs it, handed to the stream in large blocks (the
/// last one on destruction).
class CsvWriter {
 public:
  explicit CsvWriter(std::ostream& out, CsvCells cells = CsvCells::kExact)
      : out_(out), cells_(cells) {}
  ~CsvWriter() { flush(); }
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  CsvWriter& field(std::string_view text);
  /// The shortest decimals that read back to the same bits of the same type.
  CsvWriter& field(double value);
  CsvWriter& field(float value);
  void end_line();

 private:
  template <class Real>
  CsvWriter& number(Real value);
  void separate();
  void quoted(std::string_view text);
  void flush();

  std::ostream& out_;
  CsvCells cells_;
  std::string buffer_;
  bool at_line_start_ = true;
};

}  // namespace cone
