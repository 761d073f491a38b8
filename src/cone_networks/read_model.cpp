#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/byte_reader.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "cone_networks/model_file.hpp"
#include "cone_networks/model_format.hpp"
#include "cone_networks/read_fold.hpp"
#include "nn/parameter_bytes.hpp"
#include "options/option_parser.hpp"

namespace cone {
namespace {

constexpr const char* kAdvice = "take an undamaged copy or fit the model again with cone fit";

/// Magic, version, length and checksum, in the order in which they make sense to a user. Returns a
/// reader of what lies between the length and the checksum.
ByteReader opened(std::string_view whole, const std::string& file) {
  ByteReader reader(whole, file, kAdvice);
  if (whole.substr(0, kModelMagic.size()) != kModelMagic) reader.fail("is not a cone model file");
  reader.next_bytes(kModelMagic.size(), "the magic");
  const auto format = reader.next<std::uint32_t>("the format version");
  if (format != kModelFormat) {
    throw Error(ErrorCode::kData,
                {{.file = file},
                 fmt::format("has format version {}, this program reads {}", format, kModelFormat),
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

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string next_data_checksum(ByteReader& reader) {
  std::string digits(reader.next_bytes(kChecksumDigits, "the checksum of the data"));
  if (!std::all_of(digits.begin(), digits.end(), is_hex_digit)) {
    reader.fail("the checksum of the data is not hexadecimal");
  }
  return digits;
}

template <class Options>
Options next_options(ByteReader& reader, std::string_view name) {
  const std::string_view text = reader.next_text(kMaxOptionBytes, name);
  const auto options = parse_canonical_text<Options>(text);
  if (!options) reader.fail(fmt::format("{} are not those of a model of this version", name));
  const std::vector<Fault> faults = option_faults(*options);
  if (!faults.empty()) {
    reader.fail(fmt::format("{}: {} {}", name, faults.front().place.item, faults.front().what));
  }
  return *options;
}

std::uint32_t num_folds_of(const PlanOptions& plan) {
  return plan.protocol == Protocol::kSplit ? 1 : static_cast<std::uint32_t>(plan.folds);
}

}  // namespace

ConeFit read_model(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_model(file.bytes(), path.string());
}

ConeFit parse_model(std::string_view bytes, const std::string& file) {
  ByteReader reader = opened(bytes, file);
  ConeFit fit;
  fit.seed = reader.next<std::uint64_t>("the seed");
  fit.data_checksum = next_data_checksum(reader);
  const auto num_features = reader.next<std::uint64_t>("the number of features");
  if (num_features > kMaxFeatures) reader.fail("the number of features is absurd");
  const auto num_folds = reader.next<std::uint32_t>("the number of folds");
  fit.plan = next_options<PlanOptions>(reader, "the options of the plan");
  if (num_folds != num_folds_of(fit.plan)) {
    reader.fail(
        fmt::format("has {} folds and its plan makes {}", num_folds, num_folds_of(fit.plan)));
  }
  const auto options = next_options<ConeOptions>(reader, "the options of the networks");
  const FoldShape shape(num_features, options);
  nn::require_layout(reader, shape.encoder, "the encoder");
  nn::require_layout(reader, shape.arm, "an outcome network");
  // From here on the file is known to hold what memory is asked for.
  if (reader.num_left() / num_folds != shape.num_bytes() || reader.num_left() % num_folds != 0) {
    reader.fail(fmt::format("{} folds of {} bytes do not make the {} bytes that are left",
                            num_folds, shape.num_bytes(), reader.num_left()));
  }
  fit.folds.reserve(num_folds);
  for (std::uint32_t k = 0; k < num_folds; ++k) {
    fit.folds.push_back(next_fold(reader, shape, options, fit.data_checksum));
  }
  return fit;
}

}  // namespace cone
