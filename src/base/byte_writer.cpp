#include "base/byte_writer.hpp"

#include <bit>
#include <limits>

#include "cone/error.hpp"

namespace cone {

static_assert(std::endian::native == std::endian::little, "files are little endian");

void ByteWriter::put_text(std::string_view text) {
  require(text.size() <= std::numeric_limits<std::uint32_t>::max(), "byte writer: a long text");
  put(static_cast<std::uint32_t>(text.size()));
  put_bytes(text.data(), text.size());
}

void ByteWriter::put_bytes(const void* data, std::size_t size) {
  if (out_ != nullptr) {
    out_->write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  checksum_.add_bytes(data, size);
  num_bytes_ += size;
}

}  // namespace cone
