#include "data/mat5_reader.hpp"

#include <utility>

#include <fmt/format.h>

#include "data/data_fault.hpp"
#include "data/inflate.hpp"

namespace cone {
namespace {

constexpr std::size_t kFileHeaderBytes = 128;
/// Enough for the flags, shape and name of anything that MATLAB writes (names of 63 characters).
constexpr std::size_t kDescriptionBytes = 1024;

void check_file_header(std::string_view file, const Place& place) {
  constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t kUserBlockBytes = 512;  // what MATLAB puts before the HDF5 data
  if (file.starts_with(kHdf5Signature) ||
      (file.size() > kUserBlockBytes && file.substr(kUserBlockBytes).starts_with(kHdf5Signature))) {
    fail_data(place, "is a MATLAB 7.3 (HDF5) file, which is not supported",
              "in MATLAB, load it and save it with save(..., '-v7')");
  }
  if (file.size() < kFileHeaderBytes) {
    fail_data(place, "is not a MATLAB file: it is too short",
              "use a file written by save(..., '-v7') or scipy.io.savemat");
  }
  const std::string_view mark = file.substr(kFileHeaderBytes - 2, 2);
  if (mark == "MI") {
    fail_data(place, "is a big-endian MATLAB file, which is not supported",
              "load it and save it on a little-endian machine");
  }
  const auto version = load_little_endian<std::uint16_t>(file.substr(kFileHeaderBytes - 4), 0);
  if (mark != "IM" || version != 0x0100) {
    fail_data(place, "is not a MATLAB file of version 5 to 7",
              "use a file written by save(..., '-v7') or scipy.io.savemat");
  }
}

/// Takes flags, shape and name from the front of a matrix.
void read_description(MatCursor& cursor, MatVariable& variable) {
  constexpr std::uint32_t kComplexFlag = 0x0800;
  const MatElement flags = cursor.next();
  if (flags.type != MatType::kUint32 || flags.bytes.size() != 8) {
    fail_damaged(cursor.place(), "the flags of a variable are malformed");
  }
  const auto word = load_little_endian<std::uint32_t>(flags.bytes, 0);
  variable.class_code = static_cast<std::uint8_t>(word & 0xffU);
  variable.is_complex = (word & kComplexFlag) != 0;

  const MatElement shape = cursor.next();
  if (shape.type != MatType::kInt32 || shape.bytes.size() % 4 != 0 || shape.bytes.size() < 8) {
    fail_damaged(cursor.place(), "the shape of a variable is malformed");
  }
  for (std::size_t d = 0; d < shape.bytes.size() / 4; ++d) {
    variable.shape.push_back(load_little_endian<std::int32_t>(shape.bytes, d));
    if (variable.shape.back() < 0) {
      fail_damaged(cursor.place(), "the shape of a variable is negative");
    }
  }

  const MatElement name = cursor.next();
  if (name.type != MatType::kInt8) fail_damaged(cursor.place(), "the name is malformed");
  variable.name = name.bytes;
}

/// The size that a compressed matrix declares in its tag, which comes first in the stream.
std::size_t declared_bytes(std::string_view inflated, std::string_view stored, const Place& place) {
  if (inflated.size() < kTagBytes || load_little_endian<MatType>(inflated, 0) != MatType::kMatrix) {
    fail_damaged(place, "a compressed variable does not hold a matrix");
  }
  const std::size_t declared = load_little_endian<std::uint32_t>(inflated, 1);
  if (declared / kMaxDeflateRatio > stored.size()) {
    fail_damaged(place, fmt::format("{} bytes cannot hold the {} that they declare", stored.size(),
                                    declared));
  }
  return declared;
}

MatVariable describe(const MatElement& stored, const Place& place) {
  MatVariable variable{.place = place, .stored = stored};
  std::string inflated;
  std::string_view front = stored.bytes;
  if (stored.type == MatType::kCompressed) {
    auto prefix = inflate_prefix(stored.bytes, kDescriptionBytes);
    if (!prefix) fail_damaged(place, "a compressed variable cannot be read");
    inflated = std::move(*prefix);
    variable.inflated_bytes = kTagBytes + declared_bytes(inflated, stored.bytes, place);
    front = std::string_view(inflated).substr(0, variable.inflated_bytes).substr(kTagBytes);
  }
  // MATLAB writes [] as an empty matrix element, which has no name and is not needed.
  if (front.empty()) {
    variable.shape = {0, 0};
    return variable;
  }
  MatCursor cursor(front, place);
  read_description(cursor, variable);
  variable.place.item = variable.name;
  return variable;
}

}  // namespace

std::vector<MatVariable> list_mat_variables(std::string_view file, const Place& place,
                                            FaultList& faults) {
  check_file_header(file, place);
  std::vector<MatVariable> variables;
  MatCursor cursor(file.substr(kFileHeaderBytes), place);
  try {
    while (!cursor.at_end()) {
      const MatElement element = cursor.next();
      if (element.type == MatType::kMatrix || element.type == MatType::kCompressed) {
        variables.push_back(describe(element, place));
      }
    }
  } catch (const Error& error) {
    for (const Fault& fault : error.faults()) faults.add("damage", fault);
  }
  return variables;
}

}  // namespace cone
