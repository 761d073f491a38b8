#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/file.hpp"

namespace cone {

inline constexpr std::string_view kManifestSchema = "cone.simulation/1";

/// The folder that a simulation is written to. It is filled under another name beside the target
/// and replaces it atomically, so that a reader finds the old simulation or the new one, whenever
/// the process ends.
///
/// Nothing is removed that an earlier simulation did not write: its manifest lists its files with
/// their checksums, and only those that are unchanged are replaced. Other files of the folder are
/// kept (linked into the new one). What cannot be kept this way is refused before
/// anything is computed: subfolders, a mount point, the current folder or one above it.
class SimulationFolder {
 public:
  /// Throws Error(kUsage) for what must not be replaced and Error(kIo) for what cannot be written.
  explicit SimulationFolder(const std::filesystem::path& folder);
  /// Removes what was written unless finish() completed.
  ~SimulationFolder();
  SimulationFolder(const SimulationFolder&) = delete;
  SimulationFolder& operator=(const SimulationFolder&) = delete;

  /// Where to write the files.
  const std::filesystem::path& staging() const { return staging_->path(); }
  /// Adds the list of the files to the manifest, writes it and puts the folder in place.
  void finish(nlohmann::ordered_json& manifest);

 private:
  /// Parent folders created for the target. Removes them again if they are left empty.
  struct NewParents {
    std::vector<std::filesystem::path> innermost_first;
    ~NewParents();
  };

  void look_at_old();
  void put_in_place();

  std::filesystem::path named_;   ///< as the user wrote it
  std::filesystem::path target_;  ///< without links
  NewParents new_parents_;
  std::optional<Temporary> staging_;
  std::optional<Descriptor> old_;  ///< the existing folder, locked
};

}  // namespace cone
