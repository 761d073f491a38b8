#include "nn/parameter_bytes.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "cone/text.hpp"

namespace cone::nn {
namespace {

constexpr std::uint32_t kMaxNameBytes = 256;

}  // namespace

void put_layout(ByteWriter& writer, const ParameterLayout& layout) {
  writer.put(static_cast<std::uint32_t>(layout.tensors().size()));
  for (const Tensor& tensor : layout.tensors()) {
    writer.put_text(tensor.name);
    writer.put(static_cast<std::uint64_t>(tensor.rows));
    writer.put(static_cast<std::uint64_t>(tensor.cols));
  }
}

void require_layout(ByteReader& reader, const ParameterLayout& expected, std::string_view owner) {
  const auto num_tensors = reader.next<std::uint32_t>(fmt::format("the tensors of {}", owner));
  if (num_tensors != expected.tensors().size()) {
    reader.fail(fmt::format("{} has {} tensors where its options imply {}", owner, num_tensors,
                            expected.tensors().size()));
  }
  for (const Tensor& tensor : expected.tensors()) {
    const std::string_view name = reader.next_text(kMaxNameBytes, "the name of a tensor");
    const auto rows = reader.next<std::uint64_t>("the shape of a tensor");
    const auto cols = reader.next<std::uint64_t>("the shape of a tensor");
    if (name != tensor.name) {
      reader.fail(fmt::format("{} has tensor '{}' where {} is expected", owner, printable(name),
                              tensor.name));
    }
    if (rows != tensor.rows || cols != tensor.cols) {
      reader.fail(fmt::format("{}: tensor {} is {} x {} and must be {} x {}", owner, tensor.name,
                              rows, cols, tensor.rows, tensor.cols));
    }
  }
}

void next_parameters(ByteReader& reader, ParameterStore<float>& parameters,
                     std::string_view owner) {
  for (const Tensor& tensor : parameters.layout().tensors()) {
    reader.next_values(parameters.values().subspan(tensor.offset, tensor.size()),
                       fmt::format("tensor {} of {}", tensor.name, owner));
  }
}

}  // namespace cone::nn
