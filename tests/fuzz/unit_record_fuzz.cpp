#include <string>

#include "cone/error.hpp"
#include "cone/json.hpp"

#include "base/hash.hpp"
#include "fuzz/outcome.hpp"
#include "study/unit_store.hpp"

namespace cone::fuzz {
namespace {

using Json = nlohmann::ordered_json;

UnitIdentity some_identity() {
  return {.kind = "tune", .options = {{"gamma", 0.1}}, .seed = 3, .data_checksum = "abc"};
}

/// Whether the record is accepted.
bool read(std::string_view bytes, const UnitIdentity& identity) {
  const UnitStore::Found found = UnitStore::parse(bytes, identity);
  require_that(found.record.has_value() == found.problem.empty());
  return found.record.has_value();
}

/// The record with the identity and the checksum that it would need, so that changes reach the
/// rest; "" where it is not an object.
std::string sealed(std::string_view bytes, const UnitIdentity& identity) {
  Json json;
  try {
    json = parse_json(bytes, "", "");
  } catch (const Error&) {
    return "";
  }
  if (!json.is_object()) return "";
  json["id"] = identity.id();
  json["identity"] = identity.to_json();
  json.erase("checksum");
  json["checksum"] = Checksum().add(dump_json(json, -1)).hex();
  return dump_json(json, -1);
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
