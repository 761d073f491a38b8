#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <zip.h>

#include "cone/error.hpp"
#include "cone/file.hpp"

#include "data/npy.hpp"
#include "data/npz.hpp"

namespace cone {
namespace {

struct SourceDeleter {
  void operator()(zip_source_t* source) const { ::zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, SourceDeleter>;

/// Builds a zip archive in memory. The bytes of the arrays are not copied: they must live until
/// finish().
class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& path) : place_{.file = path.string()} {
    ::zip_error_init(&error_);
    target_.reset(::zip_source_buffer_create(nullptr, 0, 0, &error_));
    check(target_ != nullptr);
    archive_ = ::zip_open_from_source(target_.get(), ZIP_TRUNCATE, &error_);
    check(archive_ != nullptr);
    ::zip_source_keep(target_.get());  // the archive has its own reference to it now
  }
  ~NpzWriter() {
    if (archive_ != nullptr) ::zip_discard(archive_);
    ::zip_error_fini(&error_);
  }
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  template <class T>
  void add(const std::string& name, std::string_view descr, std::string_view shape,
           std::span<const T> values) {
    preambles_.push_back(npy_preamble(descr, shape));
    std::string& preamble = preambles_.back();
    const auto address = [](const void* data) {
      return static_cast<zip_uint8_t*>(const_cast<void*>(data));
    };
    std::array<zip_buffer_fragment_t, 2> pieces = {
        zip_buffer_fragment_t{address(preamble.data()), preamble.size()},
        zip_buffer_fragment_t{address(values.data()), values.size_bytes()}};
    Source source(
        ::zip_source_buffer_fragment_create(pieces.data(), values.empty() ? 1 : 2, 0, &error_));
    check(source != nullptr);
    const zip_int64_t index =
        ::zip_file_add(archive_, (name + ".npy").c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    check_archive(index >= 0);
    static_cast<void>(source.release());  // the archive owns it now
    // The fastest. zlib's default, which NumPy uses, takes five times as long for column numbers,
    // which hardly compress further (measured on bags of words: 2.3 times instead of 2.2).
    constexpr zip_uint32_t kLevel = 1;
    check_archive(::zip_set_file_compression(archive_, static_cast<zip_uint64_t>(index),
                                             ZIP_CM_DEFLATE, kLevel) == 0);
    // The first day of the format, whenever it is written: equal matrices give equal files.
    constexpr zip_uint16_t kFirstDay = 1U << 5U | 1U;
    check_archive(
        ::zip_file_set_dostime(archive_, static_cast<zip_uint64_t>(index), 0, kFirstDay, 0) == 0);
  }

  /// Compresses everything; returns the archive, open for reading.
  zip_source_t* finish() {
    check_archive(::zip_close(archive_) == 0);
    archive_ = nullptr;
    return target_.get();
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw Error(ErrorCode::kIo, {place_, fmt::format("cannot be written: {}", why),
                                 "check that there is enough memory"});
  }
  void check(bool fine) {
    if (!fine) fail(::zip_error_strerror(&error_));
  }
  void check_archive(bool fine) {
    if (!fine) fail(::zip_strerror(archive_));
  }

  Place place_;
  zip_error_t error_;
  Source target_;
  zip_t* archive_ = nullptr;
  std::deque<std::string> preambles_;  // addresses stay valid as more are added
};

/// Copies the finished archive to `out`.
void copy(zip_source_t* source, std::ostream& out) {
  require(::zip_source_open(source) == 0, "npz: cannot read back an archive in memory");
  std::vector<char> piece(std::size_t{1} << 18);
  while (true) {
    const zip_int64_t count = ::zip_source_read(source, piece.data(), piece.size());
    require(count >= 0, "npz: cannot read back an archive in memory");
    if (count == 0) break;
    out.write(piece.data(), count);
  }
  ::zip_source_close(source);
}

}  // namespace

void write_csr_npz(const std::filesystem::path& path, const SparseMatrix& matrix) {
  NpzWriter writer(path);
  const std::string_view format = "csr";
  const std::array<std::uint64_t, 2> shape = {matrix.rows(), matrix.cols()};
  const std::string num_entries = fmt::format("({},)", matrix.num_entries());
  // SciPy's indices are signed. Ours fit as they are but for columns beyond 2^31.
  constexpr std::size_t kSignedColumns = std::size_t{1} << 31U;
  std::vector<std::int64_t> wide_columns;
  if (matrix.cols() > kSignedColumns) {
    wide_columns.assign(matrix.columns().begin(), matrix.columns().end());
    writer.add("indices", "<i8", num_entries, std::span<const std::int64_t>(wide_columns));
  } else {
    writer.add("indices", "<i4", num_entries, matrix.columns());
  }
  writer.add("indptr", "<i8", fmt::format("({},)", matrix.rows() + 1), matrix.offsets());
  writer.add("format", "|S3", "()", std::span<const char>(format));
  writer.add("shape", "<i8", "(2,)", std::span<const std::uint64_t>(shape));
  writer.add("data", "<f8", num_entries, matrix.values());
  zip_source_t* archive = writer.finish();
  write_atomically(path, [&](std::ostream& out) { copy(archive, out); });
}

}  // namespace cone
