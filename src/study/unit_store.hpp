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

/// All that the result of one unit of an experiment is a function of. Two units are the same where
/// their identities are.
struct UnitIdentity {
  std::string kind;  ///< what is computed: "tune"
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  std::uint64_t seed = 0;
  std::string data_checksum;

  /// With the version and the revision of the program, whose results may differ from another's.
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
  std::string error;              ///< why it failed, otherwise empty
  nlohmann::ordered_json result;  ///< null where it failed
  double seconds = 0;             ///< the one part that differs from run to run
};

/// The finished units of experiments, one file each (schema cone.unit/3): FOLDER/units/ID.json.
/// Files appear whole or not at all, so a process may die at any moment, and several processes and
/// experiments may share a folder: at worst they compute a unit twice.
class UnitStore {
 public:
  /// Makes the folder where it is not there, and removes what killed processes left half written.
  /// Throws Error(kUsage) where nothing can be written there, Error(kIo) where the machine is at
  /// fault.
  explicit UnitStore(const std::filesystem::path& folder);

  struct Found {
    std::optional<UnitRecord> record;
    std::string problem;  ///< why a file that is there is not this unit's record
  };
  /// A record is only taken where its schema, id, whole identity and checksum are as they should
  /// be.
  Found find(const UnitIdentity& identity) const;
  /// The same from the bytes of a file.
  static Found parse(std::string_view bytes, const UnitIdentity& identity);

  /// Returns the record as a reader of the file sees it, to the last bit. Where something that is
  /// not a file has the record's name nothing is written. Throws Error(kIo).
  UnitRecord save(const UnitIdentity& identity, const UnitRecord& record) const;

  std::filesystem::path file_of(const std::string& id) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace cone
