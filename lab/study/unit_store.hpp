#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "cone/options.hpp"

namespace cone {

/// Everything that the result of one unit of an experiment depends on. Units are equal where their
/// identities are.
struct UnitIdentity {
  std::string kind;  ///< what is computed: "tune"
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  std::uint64_t seed = 0;
  std::string data_checksum;

  /// With version and revision of the program, since results may differ between them.
  nlohmann::ordered_json to_json() const;
  /// 32 hexadecimal digits over the JSON.
  std::string id() const;
};

enum class UnitStatus { kCompleted, kFailed };

template <>
struct EnumNames<UnitStatus> {
  static constexpr std::array<std::pair<UnitStatus, std::string_view>, 2> kNames = {
      {{UnitStatus::kCompleted, "completed"}, {UnitStatus::kFailed, "failed"}}};
};

struct UnitRecord {
  UnitStatus status = UnitStatus::kCompleted;
  std::string error;              ///< reason of a failure, otherwise empty
  nlohmann::ordered_json result;  ///< null if it failed
  double seconds = 0;             ///< the only part that differs from run to run
};

/// The finished units of experiments, one file each (schema cone.unit/3): FOLDER/units/ID.json.
/// Files are written atomically, so a process may be killed at any moment, and several processes
/// and experiments may share a folder: at worst they compute a unit twice.
class UnitStore {
 public:
  /// Creates the folder if missing and removes temporary files of killed processes. Throws
  /// Error(kUsage) where it cannot be written, Error(kIo) on failures of the system.
  explicit UnitStore(const std::filesystem::path& folder);

  struct Found {
    std::optional<UnitRecord> record;
    std::string problem;  ///< why an existing file is not this unit's record
  };
  /// A record is accepted only if its schema, id, identity and checksum are right.
  Found find(const UnitIdentity& identity) const;
  /// The same from the bytes of a file.
  static Found parse(std::string_view bytes, const UnitIdentity& identity);

  /// Returns the record as read back from the file, bitwise. Writes nothing where the path exists
  /// and is not a file. Throws Error(kIo).
  UnitRecord save(const UnitIdentity& identity, const UnitRecord& record) const;

  std::filesystem::path file_of(const std::string& id) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace cone
