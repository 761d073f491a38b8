#include "study/unit_store.hpp"

#include <system_error>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"

#include "base/hash.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kUnitSchema = "cone.unit/3";

/// As read back from the dump, where NaN is null.
Json as_stored(const Json& json) { return Json::parse(dump_json(json, -1)); }

/// Over a record without the checksum itself.
std::string checksum_of(Json record) {
  record.erase("checksum");
  return Checksum().add(dump_json(record, -1)).hex();
}

Json record_json(const UnitIdentity& identity, const UnitRecord& record) {
  Json json = {{"schema", std::string(kUnitSchema)},
               {"id", identity.id()},
               {"identity", identity.to_json()},
               {"status", std::string(enum_name(record.status))},
               {"error", record.error},
               {"result", record.result},
               {"seconds", record.seconds},
               {"commit", std::string(build_commit())}};
  json["checksum"] = checksum_of(json);
  return json;
}

/// nullptr where there is no such member.
const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

bool is_text(const Json* json, std::string_view text) {
  return json != nullptr && json->is_string() && json->get_ref<const std::string&>() == text;
}

UnitStore::Found parse_record(std::string_view bytes, const UnitIdentity& identity) {
  Json json;
  try {
    json = parse_json(bytes, "", "");
  } catch (const Error&) {
    return {.problem = "is damaged"};
  }
  if (!json.is_object()) return {.problem = "is damaged"};
  if (!is_text(member(json, "schema"), kUnitSchema)) return {.problem = "has another schema"};
  const Json* stored_identity = member(json, "identity");
  if (!is_text(member(json, "id"), identity.id()) || stored_identity == nullptr ||
      *stored_identity != as_stored(identity.to_json())) {
    return {.problem = "belongs to another job"};
  }
  const Json* status = member(json, "status");
  const Json* error = member(json, "error");
  const Json* result = member(json, "result");
  const Json* seconds = member(json, "seconds");
  UnitRecord record;
  if (status == nullptr || !status->is_string() ||
      !parse_option(status->get_ref<const std::string&>(), record.status) || error == nullptr ||
      !error->is_string() || result == nullptr || seconds == nullptr || !seconds->is_number() ||
      !is_text(member(json, "checksum"), checksum_of(json))) {
    return {.problem = "is damaged"};
  }
  record.error = error->get<std::string>();
  record.result = *result;
  record.seconds = seconds->get<double>();
  return {.record = std::move(record)};
}

/// Links are never ours: their targets must not be written.
PathKind record_kind(const std::filesystem::path& file) {
  std::error_code failure;
  return std::filesystem::is_symlink(file, failure) ? PathKind::kOther : path_kind(file);
}

}  // namespace

Json UnitIdentity::to_json() const {
  return {{"kind", kind},
          {"options", options},
          {"seed", seed},
          {"data_checksum", data_checksum},
          {"version", std::string(kVersion)},
          {"revision", std::string(source_revision())}};
}

std::string UnitIdentity::id() const { return Checksum().add(dump_json(to_json(), -1)).hex(); }

UnitStore::UnitStore(const std::filesystem::path& folder) : folder_(folder / "units") {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  const int error = failure ? failure.value() : PendingFile(file_of("any")).error();
  if (error != 0) {
    throw Error(is_fault_of_path(error) ? ErrorCode::kUsage : ErrorCode::kIo,
                {{.file = folder_.string()},
                 "cannot be written: " + std::generic_category().message(error),
                 "check path and permissions"});
  }
  remove_abandoned_files(folder_);
}

std::filesystem::path UnitStore::file_of(const std::string& id) const {
  return folder_ / (id + ".json");
}

UnitStore::Found UnitStore::parse(std::string_view bytes, const UnitIdentity& identity) {
  return parse_record(bytes, identity);
}

UnitStore::Found UnitStore::find(const UnitIdentity& identity) const {
  const std::filesystem::path file = file_of(identity.id());
  const PathKind kind = record_kind(file);
  if (kind == PathKind::kMissing) return {};
  Found found;
  if (kind == PathKind::kFile) {
    try {
      found = parse_record(MappedFile(file).bytes(), identity);
    } catch (const Error&) {
      found.problem = "cannot be read";
    }
  } else {
    found.problem = "is not a file, so the result is not stored";
  }
  if (!found.problem.empty()) found.problem = fmt::format("{} {}", file.string(), found.problem);
  return found;
}

UnitRecord UnitStore::save(const UnitIdentity& identity, const UnitRecord& record) const {
  const std::filesystem::path file = file_of(identity.id());
  const PathKind kind = record_kind(file);
  const std::string text = dump_json(record_json(identity, record)) + '\n';
  if (kind == PathKind::kFolder || kind == PathKind::kOther) {
    return parse_record(text, identity).record.value();
  }
  write_atomically(file, [&](std::ostream& out) { out << text; });
  Found found = find(identity);
  if (found.record) return std::move(*found.record);
  throw Error(ErrorCode::kIo, {{}, found.problem, "another process may have written to it"});
}

}  // namespace cone
