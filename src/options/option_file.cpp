#include "cone/file.hpp"
#include "cone/json.hpp"

namespace cone {

nlohmann::ordered_json read_option_object(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  return parse_option_object(mapped.bytes(), file.string());
}

nlohmann::ordered_json parse_option_object(std::string_view bytes, const std::string& file) {
  const std::string advice = fmt::format(
      R"(expected {{"schema": "{}", "options": {{...}}}}, as cone tune writes to best.json)",
      kOptionFileSchema);
  const auto fail = [&](const std::string& item, std::string what) {
    throw Error(ErrorCode::kData,
                {{.file = file, .item = printable(item)}, std::move(what), advice});
  };
  nlohmann::ordered_json json = parse_json(bytes, file, advice);
  if (!json.is_object()) fail("", "is not a JSON object");
  const auto schema = json.find("schema");
  if (schema == json.end() || *schema != std::string(kOptionFileSchema)) {
    fail("schema", schema == json.end() ? "is missing" : "is not the one expected");
  }
  for (const auto& [key, value] : json.items()) {
    if (key != "schema" && key != "options" && key != "tuning") fail(key, "is an unknown key");
  }
  const auto options = json.find("options");
  if (options == json.end() || !options->is_object()) {
    fail("options", options == json.end() ? "is missing" : "is not an object");
  }
  return std::move(*options);
}

}  // namespace cone
