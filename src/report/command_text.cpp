#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/evaluate.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"

#include "options/option_json.hpp"
#include "report/sections.hpp"

namespace cone::report {
namespace {

using Json = nlohmann::ordered_json;

/// A word as a shell takes it.
std::string quote_word(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string value_word(const RecordView& value) {
  const Json& json = value.json();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) return fmt::format("{}", fmt::join(value.texts(), ","));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The flags of what is not at its default.
void add_flags(const RecordView& config, const Json& defaults, std::vector<std::string>& words) {
  for (const auto& [name, standard] : defaults.items()) {
    const auto value = config.find(name);
    if (!value || value->json() == standard) continue;
    const std::string flag = flag_name(name);
    if (standard.is_boolean()) {
      words.push_back(value->flag() ? flag : "--no-" + flag.substr(2));
    } else {
      words.push_back(flag);
      words.push_back(quote_word(value_word(*value)));
    }
  }
}

bool is_builtin(const std::string& policy) {
  const std::string stem = policy.substr(0, policy.find(':'));
  const std::vector<std::string> names = builtin_policy_names();
  return stem != "linear" && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return name.substr(0, name.find(':')) == stem;
         });
}

/// What a model file decides is no flag beside --model.
Json evaluation_defaults(bool has_model) {
  Json defaults = option_json(EvaluateOptions{});
  if (!has_model) return defaults;
  for (const Json& decided : {option_json(PlanOptions{}), option_json(ConeOptions{}),
                              option_json(NetworkRidgeOptions{})}) {
    for (const auto& [name, value] : decided.items()) defaults.erase(name);
  }
  return defaults;
}

}  // namespace

std::string command_text(const RecordView& evaluation) {
  const RecordView config = evaluation.at("config");
  const auto data = config.find("data");
  std::vector<std::string> words = {"cone", "evaluate", data ? quote_word(data->text()) : "DATA",
                                    "--policy"};
  bool has_file = false;
  for (const std::string& policy : config.at("policies").texts()) {
    if (is_builtin(policy)) {
      words.push_back(quote_word(policy));
    } else if (!std::exchange(has_file, true)) {
      words.push_back("POLICIES.csv");
    }
  }
  const bool has_model = config.find("model").has_value();
  if (has_model) words.insert(words.end(), {"--model", "MODEL"});
  const auto seed = config.find("seed");
  if (!has_model && seed && seed->number() != 0) {
    words.insert(words.end(), {"--seed", value_word(*seed)});
  }
  add_flags(config, evaluation_defaults(has_model), words);
  add_flags(config, option_json(LoadOptions{}), words);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace cone::report
