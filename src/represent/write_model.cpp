#include <bit>
#include <ostream>
#include <string>

#include "cone/base/file.hpp"
#include "cone/base/hash.hpp"
#include "cone/represent/model_file.hpp"

#include "represent/model_format.hpp"

namespace cone {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little endian");

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Everything before the values; `num_bytes` is the length of the whole file.
std::string header(const TrainedModel& model, std::uint64_t num_bytes) {
  const auto tensors = model.parameters.layout().tensors();
  const std::string options = canonical_text(model.options);
  std::string bytes(kModelMagic);
  append(bytes, kModelFormat);
  append(bytes, static_cast<std::uint32_t>(tensors.size()));
  append(bytes, num_bytes);
  append(bytes, static_cast<std::uint64_t>(model.num_features));
  append(bytes, model.outcome_mean);
  append(bytes, model.outcome_scale);
  bytes += model.data_checksum;
  append(bytes, static_cast<std::uint64_t>(options.size()));
  bytes += options;
  for (const nn::Tensor& tensor : tensors) {
    append(bytes, static_cast<std::uint32_t>(tensor.name.size()));
    bytes += tensor.name;
    append(bytes, static_cast<std::uint64_t>(tensor.rows));
    append(bytes, static_cast<std::uint64_t>(tensor.cols));
  }
  return bytes;
}

}  // namespace

void write_model(const std::filesystem::path& path, const TrainedModel& model) {
  const std::span<const float> values = model.parameters.values();
  const std::size_t num_bytes = header(model, 0).size() + values.size_bytes() + kChecksumDigits;
  const std::string head = header(model, num_bytes);
  const std::string checksum = Checksum()
                                   .add_bytes(head.data(), head.size())
                                   .add_bytes(values.data(), values.size_bytes())
                                   .hex();
  write_atomically(path, [&](std::ostream& out) {
    out << head;
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size_bytes()));
    out << checksum;
  });
}

}  // namespace cone
