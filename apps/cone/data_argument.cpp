#include "data_argument.hpp"

#include <iostream>

#include "base/file.hpp"
#include "simulate/demo.hpp"

namespace cone::app {

LoadedData load_named(const Context& context, const std::string& name, const LoadOptions& options) {
  if (name == "demo" && path_kind(name) == PathKind::kMissing) {
    refuse_table_options(options);
    return demo_data(context);
  }
  return load_dataset(context, name, options);
}

void print_notes(const LoadedData& data) {
  for (const std::string& note : data.notes) std::cerr << "note: " << note << '\n';
  for (const std::string& doubt : data.doubts) std::cerr << "warning: " << doubt << '\n';
}

}  // namespace cone::app
