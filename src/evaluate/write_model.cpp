#include <functional>
#include <ostream>
#include <string>

#include "cone/error.hpp"
#include "cone/file.hpp"

#include "base/byte_writer.hpp"
#include "cone_networks/networks_section.hpp"
#include "evaluate/model_envelope.hpp"
#include "evaluate/model_file.hpp"
#include "network_ridge/ridge_fit.hpp"

namespace cone {
namespace {

void require_one_fit(const FittedModel& model) {
  require(model.networks || model.network_ridge, "model file: nothing was fitted");
  if (!model.networks || !model.network_ridge) return;
  const RidgeFit& ridge = *model.network_ridge;
  require(ridge.seed == model.seed() && ridge.data_checksum == model.data_checksum() &&
              ridge.arms == model.arms() &&
              canonical_text(ridge.plan) == canonical_text(model.plan()),
          "model file: networks and network ridge of different fits");
}

void put_section(ByteWriter& writer, const std::function<void(ByteWriter&)>& put) {
  ByteWriter counter;
  put(counter);
  writer.put(counter.num_bytes());
  put(writer);
}

/// Everything before the checksum; `num_bytes` is the length of the complete file.
void put_model(ByteWriter& writer, const FittedModel& model, std::uint64_t num_bytes) {
  require_one_fit(model);
  writer.put_bytes(kModelMagic.data(), kModelMagic.size());
  writer.put(kModelFormat);
  writer.put(num_bytes);
  writer.put(model.seed());
  writer.put_bytes(model.data_checksum().data(), model.data_checksum().size());
  writer.put(static_cast<std::uint32_t>(model.arms().size()));
  for (const std::string& label : model.arms()) writer.put_text(label);
  writer.put_text(canonical_text(model.plan()));
  writer.put((model.networks ? std::uint32_t{kHoldsNetworks} : 0U) |
             (model.network_ridge ? std::uint32_t{kHoldsNetworkRidge} : 0U));
  if (model.networks) {
    put_section(writer, [&](ByteWriter& section) { put_networks(section, *model.networks); });
  }
  if (model.network_ridge) {
    put_section(writer,
                [&](ByteWriter& section) { put_network_ridge(section, *model.network_ridge); });
  }
}

std::uint64_t model_num_bytes(const FittedModel& model) {
  ByteWriter counter;
  put_model(counter, model, 0);
  return counter.num_bytes() + kChecksumDigits;
}

}  // namespace

void write_model(std::ostream& out, const FittedModel& model) {
  ByteWriter writer(out);
  put_model(writer, model, model_num_bytes(model));
  out << writer.checksum();
}

void write_model(const std::filesystem::path& path, const FittedModel& model) {
  write_atomically(path, [&](std::ostream& out) { write_model(out, model); });
}

std::string model_checksum(const FittedModel& model) {
  ByteWriter writer;
  put_model(writer, model, model_num_bytes(model));
  return writer.checksum();
}

}  // namespace cone
