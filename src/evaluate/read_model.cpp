#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cone/dataset.hpp"
#include "cone/file.hpp"
#include "cone/options.hpp"

#include "base/byte_reader.hpp"
#include "cone_networks/networks_section.hpp"
#include "evaluate/model_envelope.hpp"
#include "evaluate/model_file.hpp"
#include "network_ridge/ridge_fit.hpp"
#include "options/option_bytes.hpp"

namespace cone {
namespace {

constexpr std::uint32_t kMaxLabelBytes = 65536;

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string next_data_checksum(ByteReader& reader) {
  std::string digits(reader.next_bytes(kChecksumDigits, "the checksum of the data"));
  if (!std::all_of(digits.begin(), digits.end(), is_hex_digit)) {
    reader.fail("the checksum of the data is not hexadecimal");
  }
  return digits;
}

std::vector<std::string> next_arms(ByteReader& reader) {
  const auto num_arms = reader.next<std::uint32_t>("the number of arms");
  if (num_arms < 2 || num_arms > kMaxArms) {
    reader.fail(fmt::format("has {} arms, and a model has 2 to {}", num_arms, kMaxArms));
  }
  std::vector<std::string> arms;
  for (std::uint32_t a = 0; a < num_arms; ++a) {
    arms.emplace_back(reader.next_text(kMaxLabelBytes, "the label of an arm"));
  }
  if (std::set<std::string_view>(arms.begin(), arms.end()).size() != arms.size()) {
    reader.fail("two arms have the same label");
  }
  return arms;
}

/// A section: its length, then as many bytes. The returned reader is limited to them.
ByteReader next_section(ByteReader& reader, std::string_view name) {
  const auto length = reader.next<std::uint64_t>(fmt::format("the length of {}", name));
  return reader.next_part(length, name);
}

}  // namespace

FittedModel read_model(const std::filesystem::path& path) {
  // A copy, so that the checksum is that of the bytes which are read, even if the file changes.
  const std::string bytes(MappedFile(path).bytes());
  return parse_model(bytes, path.string());
}

FittedModel parse_model(std::string_view bytes, const std::string& file) {
  ByteReader reader = verify_envelope(bytes, file);
  const auto seed = reader.next<std::uint64_t>("the seed");
  const std::string data_checksum = next_data_checksum(reader);
  const std::vector<std::string> arms = next_arms(reader);
  const auto plan = next_options<PlanOptions>(reader, "the options of the plan");
  const auto parts = reader.next<std::uint32_t>("the parts of the model");
  if (parts == 0 || parts > (kHoldsNetworks | kHoldsNetworkRidge)) {
    reader.fail(fmt::format("the parts of the model are {}, and must be 1, 2 or 3", parts));
  }
  FittedModel model;
  if ((parts & kHoldsNetworks) != 0) {
    ByteReader section = next_section(reader, "the networks");
    ConeFit& fit = model.networks.emplace();
    fit.plan = plan;
    fit.seed = seed;
    fit.data_checksum = data_checksum;
    fit.arms = arms;
    next_networks(section, fit);
  }
  if ((parts & kHoldsNetworkRidge) != 0) {
    ByteReader section = next_section(reader, "the network ridge");
    RidgeFit& fit = model.network_ridge.emplace();
    fit.plan = plan;
    fit.seed = seed;
    fit.data_checksum = data_checksum;
    fit.arms = arms;
    next_network_ridge(section, fit);
  }
  if (reader.num_left() > 0) {
    reader.fail(fmt::format("{} bytes are left after the last part", reader.num_left()));
  }
  return model;
}

}  // namespace cone
