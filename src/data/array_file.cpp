#include "cone/data/array_file.hpp"

#include <bit>

#include <fmt/format.h>

#include "cone/base/file.hpp"

#include "data/npy.hpp"

namespace cone {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

void write_npy(const std::filesystem::path& path, MatrixView<const double> matrix) {
  const std::string shape = fmt::format("({}, {})", matrix.rows(), matrix.cols());
  write_atomically(path, [&](std::ostream& out) {
    out << npy_preamble("<f8", shape);
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      const auto row = matrix.row(i);
      out.write(reinterpret_cast<const char*>(row.data()),
                static_cast<std::streamsize>(row.size_bytes()));
    }
  });
}

}  // namespace cone
