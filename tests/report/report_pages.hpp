#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cone/json.hpp"
#include "cone/report.hpp"

namespace cone::testing {

using Json = nlohmann::ordered_json;

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Json golden(const std::string& name) {
  const std::string file = std::string(CONE_SOURCE_DIR) + "/tests/golden/" + name + ".json";
  return parse_json(read_bytes(file), file, "")["record"];
}

inline std::string page_of(std::vector<Json> records) {
  std::vector<ReportRecord> named;
  named.reserve(records.size());
  for (Json& json : records) named.push_back({.json = std::move(json), .source = "run.json"});
  return report_html(named);
}

/// The page without the record in it.
inline std::string visible(const std::string& page) {
  return page.substr(0, page.find("<template"));
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace cone::testing
