#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cone/error.hpp"
#include "cone/matrix.hpp"

#include "data/mat5_element.hpp"

// MATLAB files of level 5 (save -v6 and -v7, scipy.io.savemat), little-endian. Every size is
// checked against the bytes that are there before anything is allocated, so a file of k bytes costs
// O(k) memory, or O(1032 k) where it is compressed.

namespace cone {

/// A variable of which only the description has been read.
struct MatVariable {
  Place place;  ///< file and name
  std::string name;
  std::uint8_t class_code = 0;
  bool is_complex = false;
  std::vector<std::int32_t>
      shape;                       ///< none negative; as declared, not yet checked against the data
  MatElement stored;               ///< the matrix, or the stream that it is compressed in
  std::size_t inflated_bytes = 0;  ///< of that stream, as declared; 0 where not compressed

  std::uint64_t rows() const { return static_cast<std::uint64_t>(shape[0]); }
  std::uint64_t cols() const { return static_cast<std::uint64_t>(shape[1]); }
};

/// The variables of a file in its order; views into `file`. Damage adds to `faults`: variables
/// after a damaged tag cannot be found. Throws Error(kData) where the file has another format.
std::vector<MatVariable> list_mat_variables(std::string_view file, const Place& place,
                                            FaultList& faults);

/// The nonzero entries of a real numeric matrix, dense or sparse, column by column: row j of the
/// result is column j of the variable (that is, its transpose). NaN counts as nonzero. Throws
/// Error(kData) for other classes, empty matrices and damaged data.
SparseMatrix read_mat_columns(const MatVariable& variable);

}  // namespace cone
