#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "cone/base/error.hpp"
#include "cone/base/file.hpp"
#include "cone/base/hash.hpp"
#include "cone/base/option_parser.hpp"
#include "cone/base/text.hpp"
#include "cone/represent/model_file.hpp"

#include "represent/cone_model.hpp"
#include "represent/model_format.hpp"

namespace cone {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little endian");

/// Takes a file apart from front to back and never past its end.
class ModelReader {
 public:
  explicit ModelReader(const std::filesystem::path& path)
      : path_(path.string()), file_(path), rest_(file_.bytes()) {}

  TrainedModel read() {
    check_envelope();
    TrainedModel model;
    const auto num_tensors = next<std::uint32_t>("the number of tensors");
    next<std::uint64_t>("the length of the file");
    model.num_features = next<std::uint64_t>("the number of features");
    if (model.num_features > kMaxFeatures) fail("the number of features is absurd");
    model.outcome_mean = next<double>("the mean outcome");
    model.outcome_scale = next<double>("the scale of outcomes");
    if (!std::isfinite(model.outcome_mean) || !std::isfinite(model.outcome_scale) ||
        model.outcome_scale <= 0) {
      fail("the mean or the scale of outcomes is no such thing");
    }
    model.data_checksum = next_bytes(kChecksumDigits, "the checksum of the data");
    if (!std::all_of(model.data_checksum.begin(), model.data_checksum.end(), is_hex_digit)) {
      fail("the checksum of the data is not hexadecimal");
    }
    model.options = next_options();
    // A description of the model that these options make, before any memory for it.
    const ConeArchitecture architecture(model.num_features, model.options);
    check_tensors(num_tensors, architecture.layout);
    const std::size_t num_value_bytes = architecture.layout.size() * sizeof(float);
    if (rest_.size() != num_value_bytes + kChecksumDigits) {
      fail(fmt::format("the tensors take {} bytes and the file has {}", num_value_bytes,
                       rest_.size() - std::min(rest_.size(), kChecksumDigits)));
    }
    model.parameters = nn::ParameterStore<float>(architecture.layout);
    const std::span<float> values = model.parameters.values();
    std::memcpy(values.data(), rest_.data(), num_value_bytes);
    for (const nn::Tensor& tensor : model.parameters.layout().tensors()) {
      const auto of_tensor = values.subspan(tensor.offset, tensor.size());
      if (!std::all_of(of_tensor.begin(), of_tensor.end(),
                       [](float value) { return std::isfinite(value); })) {
        fail(fmt::format("tensor {} has a number that is not finite", tensor.name));
      }
    }
    return model;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::kData,
                {{.file = path_}, what, "take an undamaged copy or train the model again"});
  }

  static bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

  /// Magic, version, length and checksum, in the order in which they make sense to a user.
  void check_envelope() {
    const std::string_view whole = rest_;
    if (whole.substr(0, kModelMagic.size()) != kModelMagic) fail("is not a cone model file");
    rest_.remove_prefix(kModelMagic.size());
    const auto format = next<std::uint32_t>("the format version");
    if (format != kModelFormat) {
      throw Error(ErrorCode::kData, {{.file = path_},
                                     fmt::format("has format version {}, this program reads {}",
                                                 format, kModelFormat),
                                     "use the release of cone that wrote it"});
    }
    const std::string_view after_version = rest_;
    next<std::uint32_t>("the number of tensors");
    const auto length = next<std::uint64_t>("the length of the file");
    if (length != whole.size()) {
      fail(fmt::format("should be {} bytes long and is {}", length, whole.size()));
    }
    if (whole.size() < kChecksumDigits) fail("ends before its checksum");
    const std::string_view content = whole.substr(0, whole.size() - kChecksumDigits);
    if (Checksum().add_bytes(content.data(), content.size()).hex() !=
        whole.substr(content.size())) {
      fail("the checksum does not match: the file is damaged");
    }
    rest_ = after_version;
  }

  std::string next_bytes(std::uint64_t count, const char* what) {
    if (count > rest_.size()) fail(fmt::format("ends before {}", what));
    std::string bytes(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return bytes;
  }

  template <class T>
  T next(const char* what) {
    if (sizeof(T) > rest_.size()) fail(fmt::format("ends before {}", what));
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }

  ConeOptions next_options() {
    const auto length = next<std::uint64_t>("the length of the options");
    if (length > kMaxOptionBytes) fail("the options are absurdly long");
    const auto options = parse_canonical_text<ConeOptions>(next_bytes(length, "the options"));
    if (!options) fail("the options are not those of a model of this version");
    const std::vector<Fault> faults = option_faults(*options);
    if (!faults.empty()) {
      fail(fmt::format("option {} {}", faults.front().place.item, faults.front().what));
    }
    return *options;
  }

  /// The tensors must be those of the options: same number, order, names and shapes.
  void check_tensors(std::uint32_t num_tensors, const nn::ParameterLayout& layout) {
    if (num_tensors > kMaxTensors) fail("the number of tensors is absurd");
    if (num_tensors != layout.tensors().size()) {
      fail(fmt::format("has {} tensors and its options make {}", num_tensors,
                       layout.tensors().size()));
    }
    for (const nn::Tensor& expected : layout.tensors()) {
      const auto name_length = next<std::uint32_t>("the name of a tensor");
      if (name_length > kMaxNameBytes) fail("the name of a tensor is absurdly long");
      const std::string name = next_bytes(name_length, "the name of a tensor");
      const auto rows = next<std::uint64_t>("the shape of a tensor");
      const auto cols = next<std::uint64_t>("the shape of a tensor");
      if (name != expected.name) {
        fail(fmt::format("has tensor '{}' in the place of {}", printable(name), expected.name));
      }
      if (rows != expected.rows || cols != expected.cols) {
        fail(fmt::format("tensor {} is {} x {} and must be {} x {}", name, rows, cols,
                         expected.rows, expected.cols));
      }
    }
  }

  std::string path_;
  MappedFile file_;
  std::string_view rest_;
};

}  // namespace

TrainedModel read_model(const std::filesystem::path& path) { return ModelReader(path).read(); }

}  // namespace cone
