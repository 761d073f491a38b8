#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "cone/matrix.hpp"

namespace cone {

/// SciPy CSR matrix stored by scipy.sparse.save_npz, compressed or not: indices of any integer
/// type, data float32, float64, integer or bool, little-endian. Columns out of order within a row
/// are sorted; explicit zeros are kept.
///
/// Throws Error(kData) with the member in Place::item for anything else: other sparse formats,
/// duplicates, values that nothing can be computed with (number_problem), more than kMostFeatures
/// columns, damaged archives. Nothing is ever unpickled. Safe on hostile files: sizes are checked
/// against what the archive can hold before memory is allocated, so a file of k bytes costs O(1032
/// k) at most. The peak is at most twice the result.
SparseMatrix read_csr_npz(const std::filesystem::path& path);
/// The same from the bytes of such a file; `file` is its name in messages.
SparseMatrix parse_csr_npz(std::string_view bytes, const std::string& file);

/// Some rows of such a file, and how many there are.
struct CsrRows {
  SparseMatrix rows;
  std::uint64_t num_rows = 0;
};

/// The rows [first, end) where the file has them. All of the file is read, as it may be compressed,
/// and only what belongs to these rows is kept and checked.
CsrRows read_csr_npz_rows(const std::filesystem::path& path, std::uint64_t first,
                          std::uint64_t end);

/// Writes a file that scipy.sparse.load_npz and read_csr_npz read, atomically. The same matrix
/// gives the same bytes. The peak is the compressed archive on top of the matrix. Throws Error(kIo)
/// where it cannot be written.
void write_csr_npz(const std::filesystem::path& path, const SparseMatrix& matrix);

}  // namespace cone
