#include "cone/results/option_file.hpp"

#include <algorithm>
#include <set>

#include "cone/base/file.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// Watches the parser for a key that an object names twice: it would keep one and say nothing.
class RepeatedKey {
 public:
  bool operator()(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_.back().insert(key).second && name_.empty()) name_ = key;
    }
    return true;
  }
  const std::string& name() const { return name_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string name_;
};

}  // namespace

Json read_option_object(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  return parse_option_object(mapped.bytes(), file.string());
}

Json parse_option_object(std::string_view bytes, const std::string& file) {
  const auto fail = [&](const std::string& item, std::string what, std::uint64_t line = 0) {
    throw Error(ErrorCode::kData,
                {{.file = file, .line = line, .item = printable(item)},
                 std::move(what),
                 fmt::format(R"(expected {{"schema": "{}", "options": {{...}}}}, as cone tune )"
                             "writes to best.json",
                             kOptionFileSchema)});
  };
  RepeatedKey repeated;
  Json json;
  try {
    json = Json::parse(bytes, [&](int, Json::parse_event_t event, Json& parsed) {
      return repeated(event, parsed);
    });
  } catch (const Json::parse_error& error) {
    const auto end =
        bytes.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, bytes.size()));
    fail("", "is not JSON", 1 + static_cast<std::uint64_t>(std::count(bytes.begin(), end, '\n')));
  } catch (const Json::out_of_range&) {
    fail("", "has a number too large to compute with");
  }
  if (!json.is_object()) fail("", "is not a JSON object");
  if (!repeated.name().empty()) fail(repeated.name(), "is there twice");
  const auto schema = json.find("schema");
  if (schema == json.end() || *schema != std::string(kOptionFileSchema)) {
    fail("schema", schema == json.end() ? "is missing" : "is another one");
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
