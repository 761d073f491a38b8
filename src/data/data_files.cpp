#include <system_error>

#include "cone/load.hpp"

#include "data/data_fault.hpp"

namespace cone {
namespace {

/// True where the path cannot be inspected: opening the file will report why.
bool may_exist(const std::filesystem::path& path) {
  std::error_code failure;
  return std::filesystem::exists(path, failure) || failure;
}

}  // namespace

DiskFiles DiskFiles::of_folder(const std::filesystem::path& folder) {
  DiskFiles files;
  files.folder_ = folder;
  return files;
}

DiskFiles DiskFiles::of_table(const std::filesystem::path& nodes) {
  DiskFiles files;
  files.set("nodes.csv", nodes);
  return files;
}

std::filesystem::path DiskFiles::path(std::string_view name) const {
  if (const auto named = files_.find(name); named != files_.end()) return named->second;
  const std::filesystem::path plain = folder_ / name;
  std::filesystem::path packed = plain;
  packed += ".gz";
  return !may_exist(plain) && may_exist(packed) ? packed : plain;
}

bool DiskFiles::has(std::string_view name) const {
  if (files_.contains(name)) return true;
  return !folder_.empty() && may_exist(path(name));
}

ByteSource DiskFiles::open(std::string_view name) const {
  std::filesystem::path packed = folder_ / name;
  packed += ".gz";
  if (!files_.contains(name) && may_exist(folder_ / name) && may_exist(packed)) {
    fail_data({.file = (folder_ / name).string()}, "exists both uncompressed and as .gz",
              "keep one of them");
  }
  return ByteSource::of_file(path(name));
}

ByteSource MemoryFiles::open(std::string_view name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) fail_data({.file = std::string(name)}, "is missing", "add it");
  return ByteSource::of_bytes(found->second, found->first);
}

}  // namespace cone
