#include <cstring>
#include <string>

#include "base/hash.hpp"
#include "evaluate/model_envelope.hpp"
#include "evaluate/model_file.hpp"
#include "fuzz/outcome.hpp"

namespace cone::fuzz {
namespace {

/// The file with the length and checksum that it would need, so that changes reach what is inside.
std::string sealed(std::string file) {
  const std::size_t length_at = kModelMagic.size() + sizeof kModelFormat;
  const std::uint64_t length = file.size();
  if (length < length_at + sizeof length + kChecksumDigits) return file;
  std::memcpy(file.data() + length_at, &length, sizeof length);
  const std::size_t content = file.size() - kChecksumDigits;
  file.replace(content, kChecksumDigits, Checksum().add_bytes(file.data(), content).hex());
  return file;
}

void read(std::string_view file) {
  accept_or_refuse([&] {
    const FittedModel model = parse_model(file, "model");
    // Nothing of the file is lost: written again it is the same.
    require_that(model_checksum(model) == file.substr(file.size() - kChecksumDigits));
  });
}

}  // namespace
}  // namespace cone::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file = cone::fuzz::as_text(data, size);
  cone::fuzz::read(file);
  cone::fuzz::read(cone::fuzz::sealed(std::string(file)));
  return 0;
}
