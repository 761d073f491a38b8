#include "base/hash.hpp"

#include <cstring>
#include <new>

#include <fmt/format.h>

#include "cone/error.hpp"

// Checksum states are sent between processes: inlining fixes their layout, whatever library is
// installed.
#define XXH_INLINE_ALL
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

std::vector<std::byte> Checksum::save() const {
  std::vector<std::byte> out(sizeof(XXH3_state_t));
  std::memcpy(out.data(), state_->xxh, out.size());
  return out;
}

void Checksum::resume(std::span<const std::byte> saved) {
  require(saved.size() == sizeof(XXH3_state_t), "checksum: not a state");
  // The secret is the same everywhere, but its address differs between processes.
  const unsigned char* const secret = state_->xxh->extSecret;
  std::memcpy(state_->xxh, saved.data(), saved.size());
  state_->xxh->extSecret = secret;
}

}  // namespace cone
