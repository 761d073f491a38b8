#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cone::testing {

/// Puts together MATLAB 5 files in memory, including ones that no sane program would write. The
/// numbers are those of the format: types ("mi") and classes ("mx").
class MatWriter {
 public:
  static constexpr std::uint32_t kInt8 = 1, kUint8 = 2, kInt32 = 5, kUint32 = 6, kDouble = 9;
  static constexpr std::uint32_t kMatrix = 14, kCompressed = 15;
  static constexpr std::uint32_t kCellClass = 1, kSparseClass = 5, kDoubleClass = 6;

  template <class T>
  static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }

  static std::string element(std::uint32_t type, std::string_view data) {
    std::string out =
        bytes_of(std::vector<std::uint32_t>{type, static_cast<std::uint32_t>(data.size())});
    out += data;
    out.resize((out.size() + 7) / 8 * 8);
    return out;
  }

  /// Flags, shape and name, which come before the data of every variable.
  static std::string description(const std::string& name, std::uint32_t flags,
                                 const std::vector<std::int32_t>& shape) {
    return element(kUint32, bytes_of(std::vector<std::uint32_t>{flags, 0})) +
           element(kInt32, bytes_of(shape)) + element(kInt8, name);
  }

  /// A double matrix, values by column.
  static std::string dense(const std::string& name, std::int32_t rows, std::int32_t cols,
                           const std::vector<double>& values) {
    return element(kMatrix, description(name, kDoubleClass, {rows, cols}) +
                                element(kDouble, bytes_of(values)));
  }

  static std::string sparse(const std::string& name, std::int32_t rows, std::int32_t cols,
                            const std::vector<std::int32_t>& ir,
                            const std::vector<std::int32_t>& jc,
                            const std::vector<double>& values) {
    return element(kMatrix, description(name, kSparseClass, {rows, cols}) +
                                element(kInt32, bytes_of(ir)) + element(kInt32, bytes_of(jc)) +
                                element(kDouble, bytes_of(values)));
  }

  /// A whole file around the given elements.
  static std::string file(std::string_view elements) {
    std::string out = "MATLAB 5.0 MAT-file, written by a test";
    out.resize(124, ' ');
    out += std::string("\x00\x01IM", 4);
    out += elements;
    return out;
  }
};

}  // namespace cone::testing
