#include <string>

#include "cone/base/hash.hpp"
#include "cone/experiment/unit_store.hpp"

#include "fuzz/outcome.hpp"

namespace cone::fuzz {
namespace {

using Json = nlohmann::ordered_json;

UnitIdentity some_identity() {
  return {.kind = "tune", .options = {{"gamma", 0.1}}, .seed = 3, .data_checksum = "abc"};
}

/// Whether the record is taken.
bool read(std::string_view bytes, const UnitIdentity& identity) {
  const UnitStore::Found found = UnitStore::parse(bytes, identity);
  require_that(found.record.has_value() == found.problem.empty());
  return found.record.has_value();
}

/// The record with the identity and the checksum that it would need, so that changes reach the
/// rest; "" for what is no object.
std::string sealed(std::string_view bytes, const UnitIdentity& identity) {
  Json json = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return "";
  json["id"] = identity.id();
  json["identity"] = identity.to_json();
  const auto text = [](const Json& part) {
    return part.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  json["result_checksum"] = Checksum().add(text(json["result"])).hex();
  return text(json);
}

}  // namespace
}  // namespace cone::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cone::UnitIdentity identity = cone::fuzz::some_identity();
  const std::string_view bytes = cone::fuzz::as_text(data, size);
  cone::fuzz::read(bytes, identity);
  const bool is_taken = cone::fuzz::read(cone::fuzz::sealed(bytes, identity), identity);
  cone::fuzz::require_that(is_taken || !cone::fuzz::is_replaying_valid_inputs());
  return 0;
}
