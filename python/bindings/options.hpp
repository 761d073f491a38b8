#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"

namespace cone::python {

/// Keywords as Python hands them over: the text of one JSON object, names as the flags have them
/// with underscores for hyphens.
class Keywords {
 public:
  explicit Keywords(const std::string& json) : object_(parse_json(json, "", "")) {}

  bool has(std::string_view name) const { return object_.contains(std::string(name)); }
  /// All of them as options. Throws Error listing unknown names, with the nearest that is known,
  /// and values of the wrong kind or out of range.
  template <class Options>
  Options take() const {
    try {
      Options options = take_options<Options>(object_, "");
      validate(options);
      return options;
    } catch (const Error& error) {
      throw Error(ErrorCode::kUsage, error.faults(), error.num_unlisted());
    }
  }

 private:
  nlohmann::ordered_json object_;
};

}  // namespace cone::python
