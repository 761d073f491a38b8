#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <pybind11/stl.h>

#include "cone/effects.hpp"
#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn_policy.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/sensitivity.hpp"
#include "cone/simulate.hpp"

#include "bindings.hpp"
#include "keyword_text.hpp"
#include "study/reproduce.hpp"

namespace cone::python {
namespace {

template <class T>
std::string name_kind() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Declaration>) return "True or False";
  if constexpr (std::is_enum_v<T>) return "choice";
  if constexpr (std::is_same_v<T, std::string>) return "text";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "list of texts";
  if constexpr (std::is_same_v<T, AutoNumber>) return "number";
  return std::is_integral_v<T> ? "whole number" : "number";
}

/// The options of a struct: meaning, default and range of every keyword.
template <class Options>
py::list list_lines() {
  py::list lines;
  const Options defaults;
  Options::visit(defaults, [&]<class T>(std::string_view name, const T& value,
                                        std::string_view help, const Range& range = {}) {
    py::dict line;
    line["name"] = std::string(name);
    line["kind"] = name_kind<T>();
    if constexpr (std::is_enum_v<T>) {
      line["default"] = std::string(enum_name(value));
      line["choices"] = enum_choices<T>();
    } else if constexpr (std::is_same_v<T, AutoNumber>) {
      line["default"] = value ? py::cast(*value) : py::cast(std::string(kAutomatic));
      line["choices"] = std::vector<std::string>();
    } else {
      line["default"] = value;
      line["choices"] = std::vector<std::string>();
    }
    constexpr bool kIsNumber =
        (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, AutoNumber>;
    line["range"] = kIsNumber ? range.describe() : "";
    line["help"] = spell_as_keywords(help);
    lines.append(line);
  });
  return lines;
}

py::list list_options(const std::string& function) {
  if (function == "load") return list_lines<LoadOptions>();
  if (function == "evaluate") return list_lines<EvaluateOptions>();
  if (function == "effects") return list_lines<EffectOptions>();
  if (function == "learn") return list_lines<LearnPolicyOptions>();
  if (function == "sensitivity") return list_lines<SensitivityOptions>();
  if (function == "simulate") return list_lines<SimulationOptions>();
  if (function == "reproduce") return list_lines<ReproduceOptions>();
  throw Error(ErrorCode::kUsage,
              {{.item = "options"},
               "there is no function '" + function + "' with options",
               "choose from load, evaluate, effects, learn, sensitivity, simulate, reproduce"});
}

}  // namespace

void bind_option_list(py::module_& module) {
  module.def("list_options", &list_options, py::arg("function"));
}

}  // namespace cone::python
