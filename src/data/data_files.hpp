#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"

namespace cone {

/// Where the files of a dataset come from: a folder, single files, or memory. Names are those of a
/// dataset folder: "nodes.csv", "edges.csv", "features.csv", ...
class DataFiles {
 public:
  virtual ~DataFiles() = default;
  virtual bool has(std::string_view name) const = 0;
  /// The name of the file in messages.
  virtual std::string title(std::string_view name) const = 0;
  /// Throws Error(kData) when it cannot be read.
  virtual ByteSource open(std::string_view name) const = 0;
};

/// Files on disk. A name in the folder may be compressed (nodes.csv.gz).
class DiskFiles : public DataFiles {
 public:
  /// Every file of a folder.
  static DiskFiles of_folder(const std::filesystem::path& folder);
  /// One node table and nothing else.
  static DiskFiles of_table(const std::filesystem::path& nodes);
  /// Uses the file at `path` as `name`, whatever the folder contains.
  void set(const std::string& name, const std::filesystem::path& path) { files_[name] = path; }

  bool has(std::string_view name) const override;
  std::string title(std::string_view name) const override { return path(name).string(); }
  ByteSource open(std::string_view name) const override;
  /// Where the file is, or would be.
  std::filesystem::path path(std::string_view name) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path, std::less<>> files_;
};

/// Files as bytes in memory, by name; `.csv` files only. For callers that must not touch a disk.
class MemoryFiles : public DataFiles {
 public:
  explicit MemoryFiles(std::map<std::string, std::string, std::less<>> files)
      : files_(std::move(files)) {}

  bool has(std::string_view name) const override { return files_.contains(name); }
  std::string title(std::string_view name) const override { return std::string(name); }
  ByteSource open(std::string_view name) const override;

 private:
  std::map<std::string, std::string, std::less<>> files_;
};

}  // namespace cone
