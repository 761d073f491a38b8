#include "data_argument.hpp"

#include <iostream>

namespace cone::app {

void print_notes(const LoadedData& data) {
  for (const std::string& note : data.notes) std::cerr << "note: " << note << '\n';
  for (const std::string& doubt : data.doubts) std::cerr << "warning: " << doubt << '\n';
}

}  // namespace cone::app
