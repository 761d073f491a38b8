#include "data/array_file.hpp"

#include <bit>

#include <fmt/format.h>

#include "cone/file.hpp"

#include "data/npy.hpp"

namespace cone {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

namespace {

template <class Real>
void write_values(std::ostream& out, std::string_view descr, MatrixView<const Real> matrix) {
  out << npy_preamble(descr, fmt::format("({}, {})", matrix.rows(), matrix.cols()));
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    out.write(reinterpret_cast<const char*>(row.data()),
              static_cast<std::streamsize>(row.size_bytes()));
  }
}

}  // namespace

void write_npy(const std::filesystem::path& path, MatrixView<const double> matrix) {
  write_atomically(path, [&](std::ostream& out) { write_values(out, "<f8", matrix); });
}

void write_npy(const std::filesystem::path& path, MatrixView<const float> matrix) {
  write_atomically(path, [&](std::ostream& out) { write_npy(out, matrix); });
}

void write_npy(std::ostream& out, MatrixView<const float> matrix) {
  write_values(out, "<f4", matrix);
}

}  // namespace cone
