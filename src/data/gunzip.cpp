#include "data/gunzip.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include <fmt/format.h>
#define ZLIB_CONST  // next_in points to constant bytes
#include <zlib.h>

#include "data/data_fault.hpp"

namespace cone {
namespace {

constexpr std::size_t kMaxRatio = 200;
constexpr std::size_t kAlwaysAllowed = std::size_t{64} << 20;
constexpr std::size_t kStep = std::size_t{16} << 20;  // between two looks at the observer
constexpr std::size_t kFirstPiece = std::size_t{64} << 10;

struct GunzipState {
  z_stream stream{};
  GunzipState() {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GunzipState() { ::inflateEnd(&stream); }
  GunzipState(const GunzipState&) = delete;
  GunzipState& operator=(const GunzipState&) = delete;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

std::string gunzip(const Context& context, std::string_view compressed, const std::string& file) {
  const Place place{.file = file};
  const std::size_t limit = std::max(kAlwaysAllowed, compressed.size() * kMaxRatio);
  GunzipState state;
  z_stream& stream = state.stream;
  std::string out;
  std::size_t size = 0;  // of what is unpacked; the rest of `out` is room
  std::size_t consumed = 0;
  while (true) {
    constexpr std::size_t kMaxInput = std::numeric_limits<uInt>::max();
    // Doubling up to the step: the buffer is at most twice what the stream has really given. Only
    // where it is full: a file may have a thousand empty members.
    if (size == out.size()) out.resize(size + std::clamp(size, kFirstPiece, kStep));
    stream.next_in = reinterpret_cast<const Bytef*>(compressed.data() + consumed);
    stream.avail_in = static_cast<uInt>(std::min(compressed.size() - consumed, kMaxInput));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(out.size() - size);
    const uInt offered = stream.avail_in;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    consumed += offered - stream.avail_in;
    size = out.size() - stream.avail_out;
    if (size > limit) {
      fail_data(place, fmt::format("unpacks to more than {} times its size", kMaxRatio),
                "unpack it with gunzip first, if it is what you expect");
    }
    context.report("unpacking", consumed, compressed.size());
    if (status == Z_STREAM_END) {
      const bool more = is_gzip(compressed.substr(consumed));  // zeros may pad the end
      if (!more) {
        out.resize(size);
        return out;
      }
      ::inflateReset(&stream);
    } else if (status != Z_OK) {
      fail_damaged(place, status == Z_BUF_ERROR ? "the compressed data ends too early"
                                                : "the compressed data cannot be unpacked");
    }
  }
}

}  // namespace cone
