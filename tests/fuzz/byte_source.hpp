#pragma once

#include <string>

#include "cone/load.hpp"

#include "fuzz/outcome.hpp"

namespace cone::fuzz {

/// The input in the form that the readers of text files take. Unpacks gzip.
inline ByteSource source(const std::uint8_t* data, std::size_t size) {
  return ByteSource::of_bytes(std::string(as_text(data, size)), "input");
}

}  // namespace cone::fuzz
