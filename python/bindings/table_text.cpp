#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "cone/load.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

// A table in memory as the text that the file loader reads: columns are encoded, missing values
// handled and faults reported by the same code as for files. Numbers keep every digit.

namespace cone::python {
namespace {

/// Appends a text cell, in quotes where it needs them.
void append_text(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\r\n") == text.npos && !text.starts_with(' ') &&
      !text.ends_with(' ')) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;  // one line per row, so that line numbers are rows
  }
  out += '"';
}

/// The cells of one column.
class Column {
 public:
  explicit Column(py::object cells) : cells_(std::move(cells)) {
    if (!py::isinstance<py::array>(cells_)) {
      list_ = cells_;
      return;
    }
    const char kind = py::reinterpret_borrow<py::array>(cells_).dtype().kind();
    if (kind == 'b') {
      truths_ = cells_.cast<Array<bool>>();
    } else if (kind == 'i') {
      integers_ = cells_.cast<Array<std::int64_t>>();
    } else {
      doubles_ = cells_.cast<Doubles>();
    }
  }

  std::size_t size() const { return py::len(cells_); }

  void append(std::size_t i, std::string& out) const {
    const auto row = static_cast<py::ssize_t>(i);
    if (list_.size() > 0) {
      append_text(list_text(i), out);
    } else if (truths_.size() > 0) {
      out += truths_.at(row) ? "True" : "False";
    } else if (integers_.size() > 0) {
      fmt::format_to(std::back_inserter(out), "{}", integers_.at(row));
    } else if (!std::isnan(doubles_.at(row))) {
      fmt::format_to(std::back_inserter(out), "{}", doubles_.at(row));
    }
  }

  /// As it stands in the user's column, without quotes.
  std::string text(std::size_t i) const {
    if (list_.size() > 0) return std::string(list_text(i));
    std::string out;
    append(i, out);
    return out;
  }

 private:
  std::string_view list_text(std::size_t i) const {
    const py::handle cell = PyList_GET_ITEM(list_.ptr(), static_cast<py::ssize_t>(i));
    if (cell.is_none()) return {};
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(cell.ptr(), &length);
    if (text == nullptr) throw py::error_already_set();
    return {text, static_cast<std::size_t>(length)};
  }

  py::object cells_;
  py::list list_;
  Array<bool> truths_;
  Array<std::int64_t> integers_;
  Doubles doubles_;
};

/// `columns`: arrays of bool, int64 or float64, or lists of str and None. All have one length.
py::bytes write_table(const std::vector<std::string>& names, const py::list& columns) {
  std::vector<Column> all;
  for (const py::handle column : columns)
    all.emplace_back(py::reinterpret_borrow<py::object>(column));
  std::string out;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (j > 0) out += ',';
    append_text(names[j], out);
  }
  out += '\n';
  const std::size_t num_rows = all.empty() ? 0 : all.front().size();
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (j > 0) out += ',';
      all[j].append(i, out);
    }
    out += '\n';
  }
  return {out};
}

/// The arms that the loader finds in such a column, the control arm first; none where it would
/// refuse it.
std::vector<std::string> choose_arms(const py::object& cells, const std::string& control) {
  const Column column(cells);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < column.size(); ++i) labels.emplace_back(column.text(i));
  return cone::choose_arms(labels, control);
}

}  // namespace

void bind_table_text(py::module_& module) {
  module.def("write_table", &write_table, py::arg("names"), py::arg("columns"));
  module.def("choose_arms", &choose_arms, py::arg("cells"), py::arg("control"));
}

}  // namespace cone::python
