#include <array>
#include <string>

#include "data/npz.hpp"
#include "fuzz/outcome.hpp"
#include "support/npz_writer.hpp"

namespace cone::fuzz {
namespace {

constexpr std::string_view kArrayStart = "\x93NUMPY";

void read(std::string_view archive) {
  accept_or_refuse([&] {
    const SparseMatrix matrix = parse_csr_npz(archive, "archive");
    require_that(matrix.rows() + 1 == matrix.offsets().size());
  });
}

/// Arrays one after the other become an archive with the checksums that it needs, so that changes
/// reach the arrays.
std::string packed(std::string_view arrays) {
  constexpr std::array kNames = {"format.npy", "shape.npy", "indptr.npy", "indices.npy",
                                 "data.npy"};
  testing::NpzMembers members;
  for (const char* name : kNames) {
    if (arrays.empty()) break;
    const std::size_t end = std::min(arrays.find(kArrayStart, 1), arrays.size());
    members.emplace(name, arrays.substr(0, end));
    arrays.remove_prefix(end);
  }
  return testing::pack(members, false);
}

}  // namespace
}  // namespace cone::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = cone::fuzz::as_text(data, size);
  if (bytes.starts_with(cone::fuzz::kArrayStart)) {
    cone::fuzz::read(cone::fuzz::packed(bytes));
  } else {
    cone::fuzz::read(bytes);
  }
  return 0;
}
