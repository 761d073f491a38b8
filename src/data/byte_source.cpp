#include <utility>

#include "cone/load.hpp"

#include "data/gunzip.hpp"

namespace cone {

ByteSource::ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

std::string_view ByteSource::bytes() const { return packed_ ? packed_->bytes() : stored(); }

ByteSource ByteSource::of_file(const std::filesystem::path& path) {
  ByteSource source;
  source.map_ = std::make_unique<MappedFile>(path);
  source.look_for_gzip(path.string());
  return source;
}

ByteSource ByteSource::of_bytes(std::string bytes, const std::string& name) {
  ByteSource source;
  source.owned_ = std::make_unique<std::string>(std::move(bytes));
  source.look_for_gzip(name);
  return source;
}

void ByteSource::look_for_gzip(const std::string& name) {
  if (is_gzip(stored())) packed_ = std::make_unique<Gunzip>(stored(), name);
}

void ByteSource::unpack(const Context& context, std::size_t num_bytes) {
  if (!packed_) return;
  packed_->unpack(context, num_bytes);
  if (!packed_->is_complete()) return;
  map_.reset();
  owned_.reset();
}

}  // namespace cone
