#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <zip.h>

#include "cone/error.hpp"

#include "data/npy.hpp"

namespace cone {

struct ZipDeleter {
  void operator()(zip_t* archive) const { ::zip_discard(archive); }
  void operator()(zip_file_t* member) const { ::zip_fclose(member); }
};

/// One array of an archive, open for reading from front to back. By the time it is open its header
/// has been read and agrees with the size that the archive gives for it.
class NpyMember {
 public:
  NpyMember(zip_t* archive, const std::string& name, Place place);

  const NpyHeader& header() const { return header_; }
  const Place& place() const { return place_; }

  /// All bytes of a small array, a scalar say. Throws Error(kData) for more than `max_bytes`.
  std::string read_all(std::uint64_t max_bytes);

  /// Calls body(k, value) for every value in turn, value in the type that is stored. Reads in
  /// pieces of bounded size, and at the end throws Error(kData) unless length and checksum are
  /// right. The kind must be b, i, u or f.
  template <class Body>
  void for_each(const Body& body);

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

  void read_header(std::uint64_t member_bytes);
  void read_exactly(std::span<char> bytes);
  void expect_end();
  [[noreturn]] void fail_unsupported() const;
  template <class T, class Body>
  void for_each_of_type(const Body& body);

  std::unique_ptr<zip_file_t, ZipDeleter> file_;
  Place place_;
  NpyHeader header_;
};

/// A .npz file: a zip archive of .npy arrays.
class NpzArchive {
 public:
  /// The bytes must outlive the archive; `file` is its name in messages.
  NpzArchive(std::string_view bytes, const std::string& file);

  /// The array called `name` (the member is name + ".npy"). Throws Error(kData) where it is missing
  /// or is not what its header says.
  NpyMember open(const std::string& name) const;

 private:
  Place place_;
  std::unique_ptr<zip_t, ZipDeleter> archive_;
};

template <class T, class Body>
void NpyMember::for_each_of_type(const Body& body) {
  constexpr std::uint64_t kPieceItems = kPieceBytes / sizeof(T);
  std::vector<T> piece(std::min(kPieceItems, header_.num_items));
  for (std::uint64_t begin = 0; begin < header_.num_items; begin += piece.size()) {
    piece.resize(std::min(kPieceItems, header_.num_items - begin));
    read_exactly({reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(T)});
    for (std::size_t k = 0; k < piece.size(); ++k) body(begin + k, piece[k]);
  }
  expect_end();
}

template <class Body>
void NpyMember::for_each(const Body& body) {
  const auto is = [&](char kind, std::uint64_t item_bytes) {
    return header_.kind == kind && header_.item_bytes == item_bytes;
  };
  if (is('i', 1)) return for_each_of_type<std::int8_t>(body);
  if (is('i', 2)) return for_each_of_type<std::int16_t>(body);
  if (is('i', 4)) return for_each_of_type<std::int32_t>(body);
  if (is('i', 8)) return for_each_of_type<std::int64_t>(body);
  // NumPy stores a bool in a byte; reading it as a number leaves no value undefined.
  if (is('u', 1) || is('b', 1)) return for_each_of_type<std::uint8_t>(body);
  if (is('u', 2)) return for_each_of_type<std::uint16_t>(body);
  if (is('u', 4)) return for_each_of_type<std::uint32_t>(body);
  if (is('u', 8)) return for_each_of_type<std::uint64_t>(body);
  if (is('f', 4)) return for_each_of_type<float>(body);
  if (is('f', 8)) return for_each_of_type<double>(body);
  fail_unsupported();
}

}  // namespace cone
