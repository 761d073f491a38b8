#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <zip.h>

namespace cone::testing {

/// A .npy array: its preamble with the given dictionary, then the bytes of `values`.
template <class T>
std::string npy_bytes(const std::string& dictionary, const std::vector<T>& values) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dictionary.size() & 0xffU);
  out += static_cast<char>(dictionary.size() >> 8U);
  out += dictionary;
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return out;
}

template <class T>
std::string npy_array(const std::string& descr, const std::vector<T>& values) {
  return npy_bytes("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size()) + ",), }\n",
                   values);
}

/// The members of an archive by name; change what should be wrong, then pack.
using NpzMembers = std::map<std::string, std::string>;

/// [[1, 0, 2], [0, 0, 0], [0, 3, 0]]
inline NpzMembers small_csr_members() {
  return {{"format.npy", npy_bytes("{'descr': '|S3', 'fortran_order': False, 'shape': (), }\n",
                                   std::vector<char>{'c', 's', 'r'})},
          {"shape.npy", npy_array("<i8", std::vector<std::int64_t>{3, 3})},
          {"indptr.npy", npy_array("<i4", std::vector<std::int32_t>{0, 2, 2, 3})},
          {"indices.npy", npy_array("<i4", std::vector<std::int32_t>{0, 2, 1})},
          {"data.npy", npy_array("<f8", std::vector<double>{1, 2, 3})}};
}

/// The bytes of a zip archive; empty where libzip fails.
inline std::string pack(const NpzMembers& members, bool compressed) {
  zip_source_t* target = ::zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_t* archive = ::zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
  ::zip_source_keep(target);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = ::zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index = ::zip_file_add(archive, name.c_str(), source, 0);
    ::zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                               compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  std::string out;
  if (::zip_close(archive) == 0 && ::zip_source_open(target) == 0) {
    std::vector<char> piece(1U << 16U);
    for (zip_int64_t n = 1; n > 0;) {
      n = ::zip_source_read(target, piece.data(), piece.size());
      if (n > 0) out.append(piece.data(), static_cast<std::size_t>(n));
    }
    ::zip_source_close(target);
  }
  ::zip_source_free(target);
  return out;
}

}  // namespace cone::testing
