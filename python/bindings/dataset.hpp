#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/load.hpp"

#include "watch.hpp"

namespace cone::python {

/// A dataset with where it came from, as records name it.
struct DatasetHandle {
  LoadedData data;
  std::string name;   ///< a path, or the kind of data in memory
  LoadOptions table;  ///< how it was read
  bool can_reload = false;
  double load_seconds = 0;

  const Dataset& observed() const { return data.observed; }
};

/// Reads what the command line reads under that name.
DatasetHandle load_handle(const RunSettings& run, std::string name, LoadOptions table);

/// The data with columns that costs and rankings name. Files are read again with them, as the
/// command line would; data in memory has the columns that it was made to keep.
class KeptData {
 public:
  KeptData(const RunSettings& run, const DatasetHandle& given, std::vector<KeptColumn> wanted);
  const DatasetHandle& handle() const { return reloaded_ ? *reloaded_ : given_; }

 private:
  const DatasetHandle& given_;
  std::optional<DatasetHandle> reloaded_;
};

}  // namespace cone::python
