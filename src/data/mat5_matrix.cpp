#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "data/data_fault.hpp"
#include "data/inflate.hpp"
#include "data/mat5_reader.hpp"

namespace cone {
namespace {

SparseMatrix read_dense(const MatVariable& variable, MatCursor& cursor) {
  const MatElement data = cursor.next();
  const std::size_t count = count_numbers(data, variable.place);
  if (count != variable.rows() * variable.cols()) {  // below 2^62
    fail_damaged(variable.place, fmt::format("{} × {} values are declared, but {} are present",
                                             variable.rows(), variable.cols(), count));
  }
  std::vector<std::uint64_t> offsets(variable.cols() + 1, 0);
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  for_each_number(data, count, [&](std::size_t, double value) {
    if (value != 0) {
      rows.push_back(static_cast<std::uint32_t>(row));
      values.push_back(value);
    }
    if (++row == variable.rows()) {
      row = 0;
      offsets[++column] = values.size();
    }
  });
  return {variable.rows(), std::move(offsets), std::move(rows), std::move(values)};
}

/// Compressed sparse columns: the entries of column j are ir, re [jc[j], jc[j + 1]). Room for more
/// entries than there are (nzmax) is allowed.
SparseMatrix read_sparse(const MatVariable& variable, MatCursor& cursor) {
  const Place& place = variable.place;
  const MatElement ir = cursor.next();
  const MatElement jc = cursor.next();
  const MatElement re = cursor.next();
  for (const MatElement& index : {ir, jc}) {
    if (index.type == MatType::kSingle || index.type == MatType::kDouble) {
      fail_damaged(place, "the indices of the sparse matrix are not whole numbers");
    }
  }
  const std::size_t capacity = std::min(count_numbers(ir, place), count_numbers(re, place));
  if (count_numbers(jc, place) != variable.cols() + 1) {
    fail_damaged(place, "the number of columns of the sparse matrix does not match its shape");
  }
  std::vector<std::uint64_t> stored(variable.cols() + 1);
  double previous = 0;
  for_each_number(jc, stored.size(), [&](std::size_t j, double offset) {
    const bool ascends = j == 0 ? offset == 0 : offset >= previous;
    if (!ascends || !(offset <= static_cast<double>(capacity))) {
      fail_damaged(place, fmt::format("column {} of the sparse matrix has no valid start", j + 1));
    }
    stored[j] = static_cast<std::uint64_t>(offset);
    previous = offset;
  });

  std::vector<std::uint32_t> rows(stored.back());
  std::size_t column = 0;
  for_each_number(ir, rows.size(), [&](std::size_t k, double row) {
    while (stored[column + 1] <= k) ++column;
    const bool valid = row >= 0 && row < static_cast<double>(variable.rows());
    rows[k] = valid ? static_cast<std::uint32_t>(row) : 0;
    if (!valid || (k > stored[column] && rows[k] <= rows[k - 1])) {
      fail_damaged(place, fmt::format("the rows in column {} of the sparse matrix do not ascend "
                                      "from 1 to {}",
                                      column + 1, variable.rows()));
    }
  });

  std::vector<std::uint64_t> offsets(stored.size(), 0);
  std::vector<double> values;
  values.reserve(rows.size());
  column = 0;
  for_each_number(re, rows.size(), [&](std::size_t k, double value) {
    while (stored[column + 1] <= k) offsets[++column] = values.size();
    if (value == 0) return;
    rows[values.size()] = rows[k];
    values.push_back(value);
  });
  std::fill(offsets.begin() + static_cast<std::ptrdiff_t>(column) + 1, offsets.end(),
            values.size());
  rows.resize(values.size());
  return {variable.rows(), std::move(offsets), std::move(rows), std::move(values)};
}

constexpr std::uint8_t kSparseClass = 5;
constexpr std::uint8_t kFirstNumericClass = 6;  // double
constexpr std::uint8_t kLastNumericClass = 15;  // uint64

void check_is_matrix(const MatVariable& variable) {
  const bool numeric =
      variable.class_code == kSparseClass ||
      (variable.class_code >= kFirstNumericClass && variable.class_code <= kLastNumericClass);
  if (!numeric) {
    fail_data(variable.place, "is not numeric", "save it as a numeric matrix, dense or sparse");
  }
  if (variable.is_complex) fail_data(variable.place, "has complex numbers", "save its real part");
  if (variable.shape.size() != 2) {
    fail_data(variable.place, fmt::format("has {} dimensions, must have 2", variable.shape.size()),
              "save it as a matrix");
  }
  if (variable.rows() == 0 || variable.cols() == 0) {
    fail_data(variable.place, fmt::format("is empty ({} × {})", variable.rows(), variable.cols()),
              "save it with its data");
  }
}

/// The bytes of the matrix, inflated into `buffer` where they are compressed.
std::string_view matrix_bytes(const MatVariable& variable, std::string& buffer) {
  if (variable.stored.type != MatType::kCompressed) return variable.stored.bytes;
  // Asking for one byte more makes zlib go on to the checksum at the end of the stream.
  auto inflated = inflate_prefix(variable.stored.bytes, variable.inflated_bytes + 1);
  if (!inflated || inflated->size() != variable.inflated_bytes) {
    fail_damaged(variable.place, "its compressed data does not match its declared size");
  }
  buffer = std::move(*inflated);
  return std::string_view(buffer).substr(kTagBytes);
}

}  // namespace

SparseMatrix read_mat_columns(const MatVariable& variable) {
  check_is_matrix(variable);
  std::string buffer;
  MatCursor cursor(matrix_bytes(variable, buffer), variable.place);
  constexpr int kDescriptionElements = 3;  // flags, shape and name, which are known
  for (int k = 0; k < kDescriptionElements; ++k) cursor.next();
  return variable.class_code == kSparseClass ? read_sparse(variable, cursor)
                                             : read_dense(variable, cursor);
}

}  // namespace cone
