#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/evaluate.hpp"
#include "cone/json.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"

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

/// Flags of options that are not at their defaults.
void add_flags(const RecordView& config, const Json& defaults, std::vector<std::string>& words) {
  for (const auto& [name, standard] : defaults.items()) {
    const auto value = config.find(name);
    if (!value || value->json() == standard) continue;
    const std::string flag = flag_name(name);
    if (standard.is_boolean() || value->json().is_boolean()) {
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

/// Options that the model file fixes are not flags beside --model.
Json evaluation_defaults(bool has_model) {
  Json defaults = option_json(EvaluateOptions{});
  if (!has_model) return defaults;
  for (const Json& decided : {option_json(PlanOptions{}), option_json(ConeOptions{}),
                              option_json(NetworkRidgeOptions{})}) {
    for (const auto& [name, value] : decided.items()) defaults.erase(name);
  }
  return defaults;
}

/// A table in memory may have row labels instead of an id column; a file has the column id.
Json table_defaults(const RecordView& config) {
  Json defaults = option_json(LoadOptions{});
  const auto id = config.find("id");
  if (config.find("data_in_memory") && id && id->json().is_string()) {
    const std::string name = id->text();
    if (name == "(index)" || name == "(row)" || name == "(node)") defaults.erase("id");
  }
  return defaults;
}

/// The policies as given. Without policy_arguments a record has only their names: policies that are
/// not built in came from a file that it does not name.
void add_policies(const RecordView& config, CommandText& command) {
  const auto add = [&](bool is_known, const std::string& policy) {
    if (is_known) {
      command.words.push_back(quote_word(policy));
    } else if (!std::exchange(command.lacks_policies, true)) {
      command.words.push_back("POLICIES.csv");
    }
  };
  command.words.push_back("--policy");
  if (const auto arguments = config.find("policy_arguments")) {
    for (const RecordView& argument : arguments->entries()) {
      add(!argument.is_null(), argument.is_null() ? std::string() : argument.text());
    }
  } else {
    for (const std::string& policy : config.at("policies").texts()) add(is_builtin(policy), policy);
  }
}

void add_model(const RecordView& config, CommandText& command) {
  const auto file = config.find("model_file");
  command.lacks_model = !file;
  command.words.insert(command.words.end(), {"--model", file ? quote_word(file->text()) : "MODEL"});
}

}  // namespace

CommandText command_text(const RecordView& evaluation) {
  const RecordView config = evaluation.at("config");
  const auto data = config.find("data");
  CommandText command;
  command.lacks_data = !data || config.find("data_in_memory");
  command.words = {"cone", "evaluate", command.lacks_data ? "DATA" : quote_word(data->text())};
  add_policies(config, command);
  const bool has_model = config.find("model").has_value();
  if (has_model) add_model(config, command);
  const auto seed = config.find("seed");
  if (!has_model && seed && seed->number() != 0) {
    command.words.insert(command.words.end(), {"--seed", value_word(*seed)});
  }
  add_flags(config, evaluation_defaults(has_model), command.words);
  add_flags(config, table_defaults(config), command.words);
  return command;
}

}  // namespace cone::report
