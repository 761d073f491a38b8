#include "cone/file.hpp"
#include "cone/simulate.hpp"

namespace cone {

LoadedData load_named(const Context& context, const std::string& name, const LoadOptions& options) {
  if (name == "demo" && path_kind(name) == PathKind::kMissing) {
    refuse_table_options(options);
    return demo_data(context);
  }
  return load_dataset(context, name, options);
}

}  // namespace cone
