#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "arrays.hpp"
#include "arrow_stream.hpp"
#include "bindings.hpp"

// Columns of any Arrow table (polars, pyarrow, DuckDB), as write_table() takes them.

namespace cone::python {
namespace {

/// The cells of one column, chunk after chunk.
class ArrowColumn {
 public:
  ArrowColumn(std::string name, const ArrowSchema& schema) : name_(std::move(name)) {
    const ArrowSchema& values = schema.dictionary != nullptr ? *schema.dictionary : schema;
    format_ = values.format;
    index_format_ = schema.dictionary != nullptr ? schema.format : "";
    const bool is_known =
        format_.size() == 1 && std::strchr("nbcCsSiIlLfguU", format_[0]) != nullptr;
    if (is_known || format_ == "vu") return;
    throw Error(ErrorCode::kData,
                {{.column = printable(name_)},
                 fmt::format("has the Arrow type '{}', which is not read", printable(format_)),
                 "turn it into numbers, truth values or text, or leave it out"});
  }

  void append(const ArrowArray& array) {
    for (std::int64_t i = 0; i < array.length; ++i) {
      const std::int64_t row = i + array.offset;
      if (!is_valid(array, row)) {
        append_missing();
      } else if (index_format_.empty()) {
        append_value(array, row);
      } else {
        const auto index = static_cast<std::int64_t>(number(index_format_[0], array, row));
        const std::int64_t entry = index + array.dictionary->offset;
        is_valid(*array.dictionary, entry) ? append_value(*array.dictionary, entry)
                                           : append_missing();
      }
    }
  }

  /// As a list of texts, or an array of bool, int64 or float64.
  py::object finish() {
    if (is_text() || (format_ == "b" && num_missing_ > 0)) return std::move(texts_);
    if (is_integer() && num_missing_ == 0) return to_numpy(std::move(integers_));
    if (format_ != "b") return to_numpy(std::move(numbers_));
    py::array_t<bool> truths(static_cast<py::ssize_t>(numbers_.size()));
    for (std::size_t i = 0; i < numbers_.size(); ++i) truths.mutable_data()[i] = numbers_[i] != 0;
    return truths;
  }

 private:
  bool is_text() const { return format_ == "u" || format_ == "U" || format_ == "vu"; }
  bool is_integer() const { return std::strchr("cCsSiIl", format_[0]) != nullptr; }

  static bool is_valid(const ArrowArray& array, std::int64_t row) {
    if (array.n_buffers == 0) return false;  // the null type: all missing
    const auto* bits = static_cast<const unsigned char*>(array.buffers[0]);
    return bits == nullptr || (bits[row / 8] >> (row % 8) & 1) != 0;
  }

  template <class T>
  static T value(const ArrowArray& array, std::int64_t row) {
    return static_cast<const T*>(array.buffers[1])[row];
  }

  static double number(char format, const ArrowArray& array, std::int64_t row) {
    switch (format) {
      case 'b':
        return value<unsigned char>(array, row / 8) >> (row % 8) & 1;
      case 'c':
        return value<std::int8_t>(array, row);
      case 'C':
        return value<std::uint8_t>(array, row);
      case 's':
        return value<std::int16_t>(array, row);
      case 'S':
        return value<std::uint16_t>(array, row);
      case 'i':
        return value<std::int32_t>(array, row);
      case 'I':
        return value<std::uint32_t>(array, row);
      case 'l':
        return static_cast<double>(value<std::int64_t>(array, row));
      case 'L':
        return static_cast<double>(value<std::uint64_t>(array, row));
      case 'f':
        return value<float>(array, row);
      case 'g':
        return value<double>(array, row);
      default:
        return std::numeric_limits<double>::quiet_NaN();
    }
  }

  template <class Offset>
  static std::string_view text(const ArrowArray& array, std::int64_t row) {
    const auto* bytes = static_cast<const char*>(array.buffers[2]);
    const Offset begin = value<Offset>(array, row);
    return {bytes + begin, static_cast<std::size_t>(value<Offset>(array, row + 1) - begin)};
  }

  /// Short texts lie in the view itself, others in one of the buffers behind it.
  static std::string_view viewed_text(const ArrowArray& array, std::int64_t row) {
    constexpr std::int32_t kLongestInside = 12;
    const auto* view = static_cast<const char*>(array.buffers[1]) + 16 * row;
    std::int32_t parts[4];  // length, prefix, buffer, offset
    std::memcpy(parts, view, sizeof parts);
    const auto length = static_cast<std::size_t>(parts[0]);
    if (parts[0] <= kLongestInside) return {view + 4, length};
    return {static_cast<const char*>(array.buffers[2 + parts[2]]) + parts[3], length};
  }

  void append_value(const ArrowArray& array, std::int64_t row) {
    if (is_text()) {
      const std::string_view cell = format_ == "vu"  ? viewed_text(array, row)
                                    : format_ == "u" ? text<std::int32_t>(array, row)
                                                     : text<std::int64_t>(array, row);
      texts_.append(py::str(cell.data(), cell.size()));
      return;
    }
    const double x = number(format_[0], array, row);
    numbers_.push_back(x);
    if (format_ == "l")
      integers_.push_back(value<std::int64_t>(array, row));
    else if (is_integer())
      integers_.push_back(static_cast<std::int64_t>(x));
    if (format_ == "b") texts_.append(py::str(x != 0 ? "True" : "False"));
  }

  void append_missing() {
    ++num_missing_;
    if (is_text() || format_ == "b") texts_.append(py::none());
    numbers_.push_back(std::numeric_limits<double>::quiet_NaN());
  }

  std::string name_, format_, index_format_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> integers_;
  py::list texts_;
  std::size_t num_missing_ = 0;
};

[[noreturn]] void fail(ArrowArrayStream& stream) {
  const char* why = stream.get_last_error(&stream);
  throw Error(
      ErrorCode::kData,
      {{}, fmt::format("the Arrow stream fails: {}", printable(why == nullptr ? "" : why)), ""});
}

/// (names, columns) of what an object's __arrow_c_stream__() gives.
py::tuple read_arrow(const py::capsule& capsule) {
  // The capsule keeps what it owns until we take it; afterwards its release is empty.
  auto* given =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (given == nullptr) throw py::error_already_set();
  ArrowOwner<ArrowArrayStream> stream;
  static_cast<ArrowArrayStream&>(stream) = *given;
  given->release = nullptr;
  ArrowOwner<ArrowSchema> schema;
  if (stream.get_schema(&stream, &schema) != 0) fail(stream);
  if (std::string_view(schema.format) != "+s") {
    throw Error(ErrorCode::kData, {{}, "the Arrow stream is not a table", "pass a table"});
  }
  std::vector<std::string> names;
  std::vector<ArrowColumn> columns;
  for (std::int64_t j = 0; j < schema.n_children; ++j) {
    names.emplace_back(schema.children[j]->name == nullptr ? "" : schema.children[j]->name);
    columns.emplace_back(names.back(), *schema.children[j]);
  }
  while (true) {
    ArrowOwner<ArrowArray> chunk;
    if (stream.get_next(&stream, &chunk) != 0) fail(stream);
    if (chunk.release == nullptr) break;
    for (std::int64_t j = 0; j < schema.n_children; ++j) columns[j].append(*chunk.children[j]);
  }
  py::list cells;
  for (ArrowColumn& column : columns) cells.append(column.finish());
  return py::make_tuple(names, cells);
}

}  // namespace

void bind_arrow(py::module_& module) { module.def("read_arrow", &read_arrow, py::arg("stream")); }

}  // namespace cone::python
