#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/options.hpp"

#include "base/byte_reader.hpp"

namespace cone {

inline constexpr std::uint32_t kMaxOptionBytes = 65536;

/// Options in a binary file: their canonical text; all must be within their ranges.
template <class Options>
Options next_options(ByteReader& reader, std::string_view name) {
  const std::string_view text = reader.next_text(kMaxOptionBytes, name);
  const auto options = parse_canonical_text<Options>(text);
  if (!options) reader.fail(fmt::format("{} are not those of a model of this version", name));
  const std::vector<Fault> faults = option_faults(*options);
  if (!faults.empty()) {
    reader.fail(fmt::format("{}: {} {}", name, faults.front().place.item, faults.front().what));
  }
  return *options;
}

}  // namespace cone
