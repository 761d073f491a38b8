#include "printable_output.hpp"

#include <iostream>

#include "cone/text.hpp"

namespace cone::app {
namespace {

/// How many bytes at the end begin a character without ending it.
std::size_t unfinished_bytes(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t count = 1; count < kLongest && count <= text.size(); ++count) {
    const auto byte = static_cast<unsigned char>(text[text.size() - count]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return count < length ? count : 0;
  }
  return 0;
}

}  // namespace

PrintableBuffer::~PrintableBuffer() {
  pass_on(printable_lines(begun_));
  stream_.rdbuf(target_);
}

bool PrintableBuffer::pass_on(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), size) == size;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableBuffer::xsputn(const char* text, std::streamsize size) {
  const std::lock_guard lock(mutex_);
  begun_.append(text, static_cast<std::size_t>(size));
  const std::size_t whole = begun_.size() - unfinished_bytes(begun_);
  const std::string ready = printable_lines(std::string_view(begun_).substr(0, whole));
  begun_.erase(0, whole);
  return pass_on(ready) ? size : 0;
}

int PrintableBuffer::sync() {
  const std::lock_guard lock(mutex_);
  return target_->pubsync();
}

PrintableOutput::PrintableOutput() : out_(std::cout), error_(std::cerr) {}

}  // namespace cone::app
