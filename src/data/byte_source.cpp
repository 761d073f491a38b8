#include "data/byte_source.hpp"

#include <utility>

#include "data/gunzip.hpp"

namespace cone {

ByteSource ByteSource::of_file(const Context& context, const std::filesystem::path& path) {
  ByteSource source;
  source.map_ = std::make_unique<MappedFile>(path);
  if (!is_gzip(source.map_->bytes())) return source;
  source.owned_ =
      std::make_unique<std::string>(gunzip(context, source.map_->bytes(), path.string()));
  source.map_.reset();
  return source;
}

ByteSource ByteSource::of_bytes(const Context& context, std::string bytes,
                                const std::string& name) {
  ByteSource source;
  source.owned_ = std::make_unique<std::string>(is_gzip(bytes) ? gunzip(context, bytes, name)
                                                               : std::move(bytes));
  return source;
}

}  // namespace cone
