#include "data/npz.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/text.hpp"

#include "data/data_fault.hpp"
#include "data/npz_archive.hpp"
#include "data/number.hpp"

namespace cone {
namespace {

constexpr const char* kSaveAgain = "save the matrix with scipy.sparse.save_npz";

void check_format(NpyMember member) {
  const NpyHeader& header = member.header();
  if (header.kind != 'S' && header.kind != 'U')
    fail_data(member.place(), "is not text", kSaveAgain);
  constexpr std::uint64_t kMaxBytes = 256;
  std::string format = member.read_all(kMaxBytes);
  // Both kinds of text are padded with zeros; the characters of a format are plain ASCII, so that
  // dropping the zeros turns UCS-4 into text as well.
  std::erase(format, '\0');
  if (format == "csr") return;
  fail_data(member.place(), fmt::format("is '{}', must be 'csr'", format),
            "convert with .tocsr() before saving");
}

struct Shape {
  std::uint64_t rows;
  std::uint64_t cols;
};

Shape read_shape(NpyMember member) {
  const NpyHeader& header = member.header();
  if (!header.is_integer() || header.num_items != 2) {
    fail_data(member.place(), "is not two whole numbers", kSaveAgain);
  }
  std::array<std::uint64_t, 2> sizes{};
  member.for_each([&](std::size_t k, auto value) {
    const std::uint64_t most =
        k == 0 ? std::numeric_limits<std::uint32_t>::max() : std::uint64_t{kMostFeatures};
    if (value < 0 || static_cast<double>(value) > static_cast<double>(most)) {
      fail_data(member.place(),
                fmt::format("has {} {}, but at most {} are supported", value,
                            k == 0 ? "rows" : "columns", grouped(most)),
                k == 0 ? "use a smaller matrix" : "drop columns without entries");
    }
    sizes[k] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  });
  return {sizes[0], sizes[1]};
}

/// An array of `size` whole numbers; `what` it has one of for each.
void check_is_indices(const NpyMember& member, std::uint64_t size, const char* what) {
  if (!member.header().is_integer()) {
    fail_data(member.place(), "is not an array of whole numbers", kSaveAgain);
  }
  if (member.header().num_items != size) {
    fail_data(member.place(),
              fmt::format("has {} items, must have {} ({})", member.header().num_items, size, what),
              kSaveAgain);
  }
}

/// The rows of a matrix that are wanted, and where their entries are among those of all rows.
struct WantedRows {
  std::uint64_t first;                 ///< row
  std::vector<std::uint64_t> offsets;  ///< one per row wanted, and the end; from 0 on
  std::uint64_t first_entry = 0;
  std::uint64_t num_entries_of_all = 0;

  bool has(std::uint64_t entry) const {
    return entry >= first_entry && entry - first_entry < offsets.back();
  }
};

WantedRows read_offsets(NpyMember member, const Shape& shape, std::uint64_t first,
                        std::uint64_t end) {
  check_is_indices(member, shape.rows + 1, "one more than the rows");
  first = std::min(first, shape.rows);
  end = std::clamp(end, first, shape.rows);
  WantedRows out{.first = first};
  std::uint64_t before = 0;
  member.for_each([&](std::size_t k, auto value) {
    const bool valid =
        k == 0 ? value == 0 : value >= 0 && static_cast<std::uint64_t>(value) >= before;
    if (!valid) {
      fail_data(member.place(),
                fmt::format("is {} at index {}: offsets start at 0 and never descend", value, k),
                kSaveAgain);
    }
    before = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    if (k == first) out.first_entry = before;
    if (k >= first && k <= end) out.offsets.push_back(before - out.first_entry);
  });
  out.num_entries_of_all = before;
  return out;
}

/// The row that entry k is in. Entries are requested in order, so the row only increases.
class RowOfEntry {
 public:
  explicit RowOfEntry(const WantedRows& wanted) : wanted_(wanted) {}
  std::uint64_t operator()(std::uint64_t k) {
    while (wanted_.offsets[row_ + 1] <= k - wanted_.first_entry) ++row_;
    return wanted_.first + row_;
  }

 private:
  const WantedRows& wanted_;
  std::uint64_t row_ = 0;
};

std::vector<std::uint32_t> read_columns(NpyMember member, const Shape& shape,
                                        const WantedRows& wanted) {
  check_is_indices(member, wanted.num_entries_of_all, "the last offset in indptr.npy");
  std::vector<std::uint32_t> columns;
  FaultList faults;
  RowOfEntry row_of(wanted);
  member.for_each([&](std::size_t k, auto value) {
    if (!wanted.has(k)) return;
    const std::uint64_t row = row_of(k);
    const bool valid = value >= 0 && static_cast<std::uint64_t>(value) < shape.cols;
    columns.push_back(valid ? static_cast<std::uint32_t>(value) : 0);
    if (valid) return;
    faults.add("column", {member.place(),
                          fmt::format("has column {} in row {}, but there are {} columns", value,
                                      row, shape.cols),
                          "correct the matrix (rows and columns are numbered from 0)"});
  });
  faults.throw_if_any(ErrorCode::kData);
  return columns;
}

std::vector<double> read_values(NpyMember member, const WantedRows& wanted,
                                const std::vector<std::uint32_t>& columns) {
  if (member.header().num_items != wanted.num_entries_of_all) {
    fail_data(member.place(),
              fmt::format("has {} values for {} column indices", member.header().num_items,
                          wanted.num_entries_of_all),
              kSaveAgain);
  }
  std::vector<double> values;
  FaultList faults;
  RowOfEntry row_of(wanted);
  member.for_each([&](std::size_t k, auto stored) {
    if (!wanted.has(k)) return;
    const auto value = static_cast<double>(stored);
    values.push_back(value);
    const std::uint64_t row = row_of(k);
    const char* problem = number_problem(value);
    if (problem == nullptr) return;
    faults.add("value", {member.place(),
                         fmt::format("is {} at row {}, column {}: it {}", value, row,
                                     columns[k - wanted.first_entry], problem),
                         "correct or rescale the values (rows and columns are numbered from 0)"});
  });
  faults.throw_if_any(ErrorCode::kData);
  return values;
}

void sort_row(std::span<std::uint32_t> columns, std::span<double> values) {
  if (std::is_sorted(columns.begin(), columns.end())) return;
  std::vector<std::pair<std::uint32_t, double>> entries(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) entries[k] = {columns[k], values[k]};
  std::sort(entries.begin(), entries.end());
  for (std::size_t k = 0; k < columns.size(); ++k) std::tie(columns[k], values[k]) = entries[k];
}

void sort_rows(const Place& place, const WantedRows& wanted, std::vector<std::uint32_t>& columns,
               std::vector<double>& values) {
  const std::vector<std::uint64_t>& offsets = wanted.offsets;
  FaultList faults;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::size_t size = offsets[i + 1] - offsets[i];
    const std::span row(columns.data() + offsets[i], size);
    sort_row(row, {values.data() + offsets[i], size});
    const auto repeat = std::adjacent_find(row.begin(), row.end());
    if (repeat == row.end()) continue;
    faults.add(
        "duplicate",
        {place, fmt::format("has column {} more than once in row {}", *repeat, wanted.first + i),
         "call matrix.sum_duplicates() before saving"});
  }
  faults.throw_if_any(ErrorCode::kData);
}

CsrRows parse_rows(std::string_view bytes, const std::string& file, std::uint64_t first,
                   std::uint64_t end) {
  const NpzArchive archive(bytes, file);
  // Each array bounds the length of the next, so that none can cause a pointless long read.
  check_format(archive.open("format"));
  const Shape shape = read_shape(archive.open("shape"));
  WantedRows wanted = read_offsets(archive.open("indptr"), shape, first, end);
  std::vector<std::uint32_t> columns = read_columns(archive.open("indices"), shape, wanted);
  std::vector<double> values = read_values(archive.open("data"), wanted, columns);
  sort_rows({.file = file, .item = "indices.npy"}, wanted, columns, values);
  return {{shape.cols, std::move(wanted.offsets), std::move(columns), std::move(values)},
          shape.rows};
}

}  // namespace

SparseMatrix read_csr_npz(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_csr_npz(file.bytes(), path.string());
}

SparseMatrix parse_csr_npz(std::string_view bytes, const std::string& file) {
  return parse_rows(bytes, file, 0, std::numeric_limits<std::uint64_t>::max()).rows;
}

CsrRows read_csr_npz_rows(const std::filesystem::path& path, std::uint64_t first,
                          std::uint64_t end) {
  const MappedFile file(path);
  return parse_rows(file.bytes(), path.string(), first, end);
}

}  // namespace cone
