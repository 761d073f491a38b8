#include "evaluate/model_envelope.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/hash.hpp"

namespace cone {
namespace {

constexpr const char* kAdvice = "take an undamaged copy or fit the model again with cone fit";

}  // namespace

ByteReader verify_envelope(std::string_view whole, const std::string& file) {
  ByteReader reader(whole, file, kAdvice);
  if (whole.substr(0, kModelMagic.size()) != kModelMagic) reader.fail("is not a cone model file");
  reader.next_bytes(kModelMagic.size(), "the magic");
  const auto format = reader.next<std::uint32_t>("the format version");
  if (format < kModelFormat) {
    throw Error(ErrorCode::kData,
                {{.file = file}, "was written by an older version", "fit it again with cone fit"});
  }
  if (format > kModelFormat) {
    throw Error(ErrorCode::kData, {{.file = file},
                                   fmt::format("was written by a newer version (format {}, this "
                                               "program reads {})",
                                               format, kModelFormat),
                                   "use the release of cone that wrote it"});
  }
  const auto length = reader.next<std::uint64_t>("the length of the file");
  if (length != whole.size()) {
    reader.fail(fmt::format("should be {} bytes long and is {}", length, whole.size()));
  }
  if (reader.num_left() < kChecksumDigits) reader.fail("ends before its checksum");
  const std::string_view content = whole.substr(0, whole.size() - kChecksumDigits);
  if (Checksum().add_bytes(content.data(), content.size()).hex() != whole.substr(content.size())) {
    reader.fail("the checksum does not match: the file is damaged");
  }
  return {reader.next_bytes(reader.num_left() - kChecksumDigits, "the content"), file, kAdvice};
}

}  // namespace cone
