#pragma once

#include <filesystem>

#include "cone/base/matrix.hpp"

namespace cone {

/// Writes a matrix of doubles as a NumPy .npy file, atomically.
void write_npy(const std::filesystem::path& path, MatrixView<const double> matrix);

}  // namespace cone
