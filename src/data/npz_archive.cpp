#include "data/npz_archive.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "data/data_fault.hpp"
#include "data/inflate.hpp"

namespace cone {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kFixedBytes = kMagic.size() + 2;  // and the version
/// NumPy's own limit for headers that it trusts by default.
constexpr std::uint64_t kMaxHeaderBytes = 10000;

/// The archive's description of a member, if it is plausible.
zip_stat_t checked_stat(zip_t* archive, zip_uint64_t index, const Place& place) {
  zip_stat_t stat;
  ::zip_stat_init(&stat);
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (::zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
    fail_damaged(place, "the archive does not describe it");
  }
  if (stat.encryption_method != ZIP_EM_NONE) {
    fail_data(place, "is encrypted", "save it without a password");
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    fail_data(
        place,
        fmt::format("is compressed in a way (method {}) that NumPy does not use", stat.comp_method),
        "save it with scipy.sparse.save_npz");
  }
  const std::uint64_t ratio = stat.comp_method == ZIP_CM_STORE ? 1 : kMaxDeflateRatio;
  if (stat.size / ratio > stat.comp_size) {
    fail_damaged(place, fmt::format("{} bytes cannot hold the {} that they declare", stat.comp_size,
                                    stat.size));
  }
  return stat;
}

}  // namespace

NpyMember::NpyMember(zip_t* archive, const std::string& name, Place place)
    : place_(std::move(place)) {
  const zip_int64_t index = ::zip_name_locate(archive, name.c_str(), 0);
  if (index < 0) fail_data(place_, "is missing", "save the matrix with scipy.sparse.save_npz");
  const zip_stat_t stat = checked_stat(archive, static_cast<zip_uint64_t>(index), place_);
  file_.reset(::zip_fopen_index(archive, static_cast<zip_uint64_t>(index), 0));
  if (!file_) fail_damaged(place_, ::zip_strerror(archive));
  read_header(stat.size);
}

void NpyMember::read_header(std::uint64_t member_bytes) {
  std::string fixed(kFixedBytes, '\0');
  read_exactly(fixed);
  if (!fixed.starts_with(kMagic)) fail_damaged(place_, "it is not a .npy array");
  const auto version = static_cast<unsigned char>(fixed[kMagic.size()]);
  if (version < 1 || version > 3) {
    fail_data(place_, fmt::format("has .npy version {}, which is not supported", version),
              "save it with scipy.sparse.save_npz");
  }
  std::string length(version == 1 ? 2 : 4, '\0');
  read_exactly(length);
  std::uint32_t text_bytes = 0;  // little-endian, as we are
  std::memcpy(&text_bytes, length.data(), length.size());
  if (text_bytes > kMaxHeaderBytes) fail_damaged(place_, "its .npy header is too long");
  std::string text(text_bytes, '\0');
  read_exactly(text);
  header_ = parse_npy_header(text, place_);

  const std::uint64_t declared = header_.num_items * header_.item_bytes;  // checked for overflow
  const std::uint64_t held =
      member_bytes -
      std::min<std::uint64_t>(member_bytes, kFixedBytes + length.size() + text.size());
  if (declared != held) {
    fail_damaged(place_, fmt::format("its .npy header declares {} bytes of data, but there are {}",
                                     declared, held));
  }
}

void NpyMember::read_exactly(std::span<char> bytes) {
  const zip_int64_t count = ::zip_fread(file_.get(), bytes.data(), bytes.size());
  if (count < 0) fail_damaged(place_, ::zip_file_strerror(file_.get()));
  if (static_cast<std::size_t>(count) != bytes.size()) {
    fail_damaged(place_, "it ends before the data that it declares");
  }
}

void NpyMember::expect_end() {
  // Reading past the end is also what makes libzip compare the checksum.
  char extra = 0;
  const zip_int64_t count = ::zip_fread(file_.get(), &extra, 1);
  if (count < 0) fail_damaged(place_, ::zip_file_strerror(file_.get()));
  if (count > 0) fail_damaged(place_, "it continues after the data that it declares");
}

std::string NpyMember::read_all(std::uint64_t max_bytes) {
  const std::uint64_t size = header_.num_items * header_.item_bytes;
  if (size > max_bytes) {
    fail_data(place_, fmt::format("has {} bytes, but at most {} are allowed", size, max_bytes),
              "save the matrix with scipy.sparse.save_npz");
  }
  std::string bytes(size, '\0');
  read_exactly(bytes);
  expect_end();
  return bytes;
}

void NpyMember::fail_unsupported() const {
  fail_data(place_,
            fmt::format("has values of kind '{}' with {} bytes, which are not supported",
                        header_.kind, header_.item_bytes),
            "save a matrix of numbers, e.g. matrix.astype(float)");
}

NpzArchive::NpzArchive(std::string_view bytes, const std::string& file) : place_{.file = file} {
  zip_error_t error;
  ::zip_error_init(&error);
  const auto refuse = [&] {
    const std::string why = ::zip_error_strerror(&error);
    ::zip_error_fini(&error);
    fail_data(place_, "is not a .npz archive, or is truncated: " + why,
              "save the matrix with scipy.sparse.save_npz");
  };
  zip_source_t* source = ::zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) refuse();
  archive_.reset(::zip_open_from_source(source, ZIP_RDONLY, &error));
  if (!archive_) {
    ::zip_source_free(source);
    refuse();
  }
  ::zip_error_fini(&error);
}

NpyMember NpzArchive::open(const std::string& name) const {
  const std::string member = name + ".npy";
  return {archive_.get(), member, {.file = place_.file, .item = member}};
}

}  // namespace cone
