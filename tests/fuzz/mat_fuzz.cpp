#include <algorithm>
#include <cstring>
#include <string>

#include <zlib.h>

#include "data/mat_file.hpp"
#include "fuzz/outcome.hpp"
#include "support/mat_writer.hpp"

namespace cone::fuzz {
namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kTagBytes = 8;

void read(std::string_view file) {
  accept_or_refuse([&] {
    const LoadedData loaded = parse_mat(context(), file, "file");
    const std::size_t nodes = loaded.observed.num_nodes();
    require_that(loaded.observed.features.matrix.rows() == nodes &&
                 loaded.observed.treatment.size() == loaded.observed.outcome.size());
  });
}

std::string deflated(std::string_view bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string out(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 1);
  out.resize(size);
  return out;
}

/// The file with each variable compressed, so that changes reach what its checksum protects.
std::string compressed(std::string_view file) {
  std::string out(file.substr(0, kHeaderBytes));
  std::string_view rest = file.substr(kHeaderBytes);
  while (rest.size() >= kTagBytes) {
    std::uint32_t num_bytes = 0;
    std::memcpy(&num_bytes, rest.data() + 4, sizeof num_bytes);
    const std::size_t end = std::min<std::size_t>(rest.size(), kTagBytes + num_bytes);
    const std::string variable = deflated(rest.substr(0, end));
    const std::uint32_t tag[] = {testing::MatWriter::kCompressed,
                                 static_cast<std::uint32_t>(variable.size())};
    out.append(reinterpret_cast<const char*>(tag), sizeof tag);
    out += variable;
    rest.remove_prefix(end);
  }
  return out;
}

}  // namespace
}  // namespace cone::fuzz

/// Files whose description starts with a C are compressed first.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file = cone::fuzz::as_text(data, size);
  if (size > cone::fuzz::kHeaderBytes && file.front() == 'C') {
    cone::fuzz::read(cone::fuzz::compressed(file));
  } else {
    cone::fuzz::read(file);
  }
  return 0;
}
