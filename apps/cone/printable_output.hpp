#pragma once

#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace cone::app {

/// Passes text on as printable_lines (cone/text.hpp) makes it. A character that is there in part
/// waits for its rest.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~PrintableBuffer() override;
  PrintableBuffer(const PrintableBuffer&) = delete;
  PrintableBuffer& operator=(const PrintableBuffer&) = delete;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool pass_on(std::string_view text);

  std::ostream& stream_;
  std::streambuf* target_;
  std::string begun_;  // the first bytes of a character
  std::mutex mutex_;
};

/// While it exists, no control characters (in names, paths or messages of other libraries) reach
/// the terminal through std::cout and std::cerr. std::clog is not filtered, because the progress
/// bar moves the cursor.
class PrintableOutput {
 public:
  PrintableOutput();

 private:
  PrintableBuffer out_;
  PrintableBuffer error_;
};

}  // namespace cone::app
