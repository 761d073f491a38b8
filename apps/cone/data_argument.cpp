#include "data_argument.hpp"

#include <iostream>

namespace cone::app {

void print_notes(const LoadedData& data) {
  for (const std::string& note : data.notes) std::cerr << "note: " << note << '\n';
  for (const std::string& warning : data.warnings) std::cerr << "warning: " << warning << '\n';
}

}  // namespace cone::app
