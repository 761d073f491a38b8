#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cone/error.hpp"

namespace cone {

/// The contents of the preamble of a .npy array.
struct NpyHeader {
  char kind = 0;                 ///< as in NumPy: b, i, u, f, S or U
  std::uint64_t item_bytes = 0;  ///< of one value
  std::vector<std::uint64_t> shape;
  std::uint64_t num_items = 1;  ///< product of the shape

  bool is_integer() const { return kind == 'i' || kind == 'u'; }
};

/// Parses the dictionary in a preamble: exactly the keys descr, fortran_order and shape. Order does
/// not matter with fewer than two dimensions, and other arrays are refused. Throws Error(kData) at
/// `place` for malformed text, a type that is not plain numbers or text (objects above all, which
/// only unpickling could read), big-endian values, and shapes whose size overflows.
NpyHeader parse_npy_header(std::string_view text, const Place& place);

/// The preamble of a C-ordered array, padded to a multiple of 64 bytes as NumPy does.
/// `descr` like "<f8"; `shape` like "(3,)".
std::string npy_preamble(std::string_view descr, std::string_view shape);

}  // namespace cone
