#include "base/hash.hpp"

#include <new>

#include <fmt/format.h>
#include <xxhash.h>

namespace cone {

std::uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct Checksum::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {}
Checksum::~Checksum() = default;

Checksum& Checksum::add_bytes(const void* data, std::size_t size) {
  if (size > 0) XXH3_128bits_update(state_->xxh, data, size);
  return *this;
}

Checksum& Checksum::add(std::string_view text) {
  add_size(text.size());
  return add_bytes(text.data(), text.size());
}

std::string Checksum::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

void RowChecksum::end_row() {
  const XXH128_hash_t hash = XXH3_128bits(row_.data(), row_.size());
  sums_[0] += hash.high64;
  sums_[1] += hash.low64;
  row_.clear();
}

}  // namespace cone
