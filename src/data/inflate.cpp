#include "data/inflate.hpp"

#include <algorithm>
#include <limits>
#include <new>

#define ZLIB_CONST  // next_in points to constant bytes
#include <zlib.h>

namespace cone {
namespace {

/// Ends the stream on scope exit.
struct InflateState {
  z_stream stream{};
  InflateState() {
    if (::inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  }
  ~InflateState() { ::inflateEnd(&stream); }
  InflateState(const InflateState&) = delete;
  InflateState& operator=(const InflateState&) = delete;
};

constexpr std::size_t kFirstPieceBytes = 4096;

}  // namespace

std::optional<std::string> inflate_prefix(std::string_view compressed, std::size_t max_bytes) {
  InflateState state;
  z_stream& stream = state.stream;
  std::string out;
  std::size_t consumed = 0;
  int status = Z_OK;
  while (status == Z_OK && out.size() < max_bytes) {
    // Doubling: the buffer is at most twice what the stream has really produced.
    const std::size_t begin = out.size();
    const std::size_t piece = std::min(std::max(begin, kFirstPieceBytes), max_bytes - begin);
    constexpr std::size_t kMaxStep = std::numeric_limits<uInt>::max();
    out.resize(begin + std::min(piece, kMaxStep));
    stream.next_in = reinterpret_cast<const Bytef*>(compressed.data() + consumed);
    stream.avail_in = static_cast<uInt>(std::min(compressed.size() - consumed, kMaxStep));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream.avail_out = static_cast<uInt>(out.size() - begin);
    const uInt offered = stream.avail_in;
    status = ::inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR: no progress, the input has ended
    consumed += offered - stream.avail_in;
    out.resize(out.size() - stream.avail_out);
  }
  if (status != Z_STREAM_END && out.size() < max_bytes) return std::nullopt;
  return out;
}

}  // namespace cone
