#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cone::testing {

/// Reads a reference file from $CONE_FIXTURE_DIR, by default the copies in tests/fixtures.
inline nlohmann::json read_fixture(const std::string& name) {
  const char* folder = std::getenv("CONE_FIXTURE_DIR");
  std::ifstream in(std::filesystem::path(folder != nullptr ? folder : CONE_FIXTURE_DIR) / name);
  return nlohmann::json::parse(in);
}

template <class T = double>
std::vector<T> vector_of(const nlohmann::json& values) {
  return values.get<std::vector<T>>();
}

}  // namespace cone::testing
