#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace cone {

/// Lines of a CSV file, quoted where a field needs it, handed to the stream in large blocks (the
/// last one on destruction).
class CsvWriter {
 public:
  explicit CsvWriter(std::ostream& out) : out_(out) {}
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
  std::string buffer_;
  bool at_line_start_ = true;
};

}  // namespace cone
