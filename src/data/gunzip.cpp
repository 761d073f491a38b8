#include "data/gunzip.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>
#define ZLIB_CONST  // next_in points to constant bytes
#include <zlib.h>

#include "data/data_fault.hpp"

namespace cone {
namespace {

constexpr std::size_t kMaxRatio = 200;
constexpr std::size_t kAlwaysAllowed = std::size_t{64} << 20;
constexpr std::size_t kMostBytes = std::size_t{4} << 30;
constexpr std::size_t kStep = std::size_t{4} << 20;  // between two calls of the observer
constexpr std::size_t kFirstPiece = std::size_t{64} << 10;

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

struct Gunzip::Stream {
  z_stream zlib{};
  Stream() {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&zlib, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { ::inflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

Gunzip::Gunzip(std::string_view compressed, std::string file)
    : file_(std::move(file)),
      rest_(compressed),
      compressed_size_(compressed.size()),
      stream_(std::make_unique<Stream>()) {}

Gunzip::~Gunzip() = default;

void Gunzip::unpack(const Context& context, std::size_t num_bytes) {
  const Place place{.file = file_};
  const std::size_t most_by_ratio = std::max(kAlwaysAllowed, compressed_size_ * kMaxRatio);
  z_stream& zlib = stream_->zlib;
  while (!is_complete_ && size_ < num_bytes) {
    constexpr std::size_t kMaxInput = std::numeric_limits<uInt>::max();
    // Doubling: the buffer is at most twice what the stream has really produced. Only where it is
    // full: a file may have a thousand empty members.
    if (size_ == capacity_) make_room(std::max(kFirstPiece, 2 * capacity_));
    zlib.next_in = reinterpret_cast<const Bytef*>(rest_.data());
    zlib.avail_in = static_cast<uInt>(std::min(rest_.size(), kMaxInput));
    zlib.next_out = reinterpret_cast<Bytef*>(out_.get() + size_);
    const std::size_t room = std::min(capacity_ - size_, kStep);
    zlib.avail_out = static_cast<uInt>(room);
    const uInt offered = zlib.avail_in;
    const int status = ::inflate(&zlib, Z_NO_FLUSH);
    rest_.remove_prefix(offered - zlib.avail_in);
    size_ += room - zlib.avail_out;
    if (size_ > most_by_ratio) {
      fail_data(place, fmt::format("unpacks to more than {} times its size", kMaxRatio),
                "unpack it with gunzip first, if it is what you expect");
    }
    if (size_ > kMostBytes) {
      fail_data(place, fmt::format("unpacks to more than {} GiB", kMostBytes >> 30),
                "unpack it with gunzip first: a plain file is not held in memory");
    }
    context.report("unpacking", compressed_size_ - rest_.size(), compressed_size_);
    if (status == Z_STREAM_END) {
      finish_member();
    } else if (status != Z_OK) {
      fail_damaged(place, status == Z_BUF_ERROR ? "the compressed data ends too early"
                                                : "the compressed data cannot be unpacked");
    }
  }
}

void Gunzip::finish_member() {
  const std::size_t padding = std::min(rest_.find_first_not_of('\0'), rest_.size());
  if (padding == rest_.size()) {
    is_complete_ = true;
    if (size_ > 0) make_room(size_);
    return;
  }
  // A single first byte is another member that was cut off.
  if (!is_gzip(rest_) && rest_ != "\x1F") {
    fail_damaged({.file = file_},
                 fmt::format("the bytes after its compressed data (from byte {}) are neither zeros "
                             "nor more compressed data",
                             compressed_size_ - rest_.size() + padding + 1));
  }
  ::inflateReset(&stream_->zlib);
}

void Gunzip::make_room(std::size_t num_bytes) {
  auto* const grown = static_cast<char*>(std::realloc(out_.get(), num_bytes));
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(out_.release());  // realloc took it
  out_.reset(grown);
  capacity_ = num_bytes;
}

}  // namespace cone
