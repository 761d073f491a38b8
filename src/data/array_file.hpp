#pragma once

#include <filesystem>
#include <ostream>

#include "cone/matrix.hpp"

namespace cone {

/// Writes a matrix as a NumPy .npy file of the same type, atomically.
void write_npy(const std::filesystem::path& path, MatrixView<const double> matrix);
void write_npy(const std::filesystem::path& path, MatrixView<const float> matrix);
void write_npy(std::ostream& out, MatrixView<const float> matrix);

}  // namespace cone
