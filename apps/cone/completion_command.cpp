#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/estimate.hpp"
#include "cone/policy.hpp"

#include "commands.hpp"

namespace cone::app {
namespace {

std::string flags_of(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  return words;
}

std::string estimator_names() {
  std::string words;
  for (const EstimatorInfo& row : estimator_catalogue()) words += std::string(row.name) + " ";
  return words;
}

/// Built, as those below, from the declared commands, so that it never falls behind them.
std::string bash_script(const CLI::App& root) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : root.get_subcommands({})) {
    commands += command->get_name() + " ";
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), flags_of(*command));
  }
  return fmt::format(R"(_cone() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=""
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{}--help --version" -- "$current"))
    return
  fi
  case $previous in
    --policy) COMPREPLY=($(compgen -W "{}" -- "$current") $(compgen -f -- "$current")); return ;;
    --estimators) COMPREPLY=($(compgen -W "{}" -- "$current")); return ;;
  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _cone cone
)",
                     commands, fmt::join(builtin_policy_names(), " "), estimator_names(), cases);
}

/// 'NAME:meaning' as zsh's _describe takes it. Of a long meaning, the first sentence.
std::string zsh_entry(const std::string& name, const std::string& meaning) {
  const std::string sentence = meaning.substr(0, meaning.find(". "));
  std::string entry = "'" + name + ":";
  for (const char c : sentence.substr(0, sentence.find('\n'))) {
    if (c == '\'') {
      entry += "'\\''";
    } else {
      if (c == ':' || c == '\\') entry += '\\';
      entry += c;
    }
  }
  return entry + "'";
}

/// Zsh's own language: a file _cone on the fpath, or sourced after compinit. Unlike in bash,
/// options come with their meaning, and every word after --policy is a policy.
std::string zsh_script(const CLI::App& root) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : root.get_subcommands({})) {
    commands += "    " + zsh_entry(command->get_name(), command->get_description()) + "\n";
    cases += fmt::format("    {})\n      flags=(\n", command->get_name());
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        cases += "        " + zsh_entry("--" + name, option->get_description()) + "\n";
      }
    }
    cases += "      ) ;;\n";
  }
  return fmt::format(R"(#compdef cone
_cone() {{
  local -a commands flags
  commands=(
{})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
{}  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option flags
    return
  fi
  local -i at=$(( CURRENT - 1 ))
  while (( at > 2 )) && [[ $words[at] != --* ]]; do (( at-- )); done
  case $words[at] in
    --policy) compadd -- {}; _files ;;
    --estimators) _sequence compadd -- {} ;;
    *) _files ;;
  esac
}}
if [[ $funcstack[1] == _cone ]]; then _cone "$@"; else compdef _cone cone; fi
)",
                     commands, cases, fmt::join(builtin_policy_names(), " "), estimator_names());
}

std::string fish_script(const CLI::App& root) {
  std::string script;
  for (const CLI::App* command : root.get_subcommands({})) {
    const std::string& name = command->get_name();
    script += fmt::format("complete -c cone -n __fish_use_subcommand -a {}\n", name);
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& flag : option->get_lnames()) {
        script +=
            fmt::format("complete -c cone -n '__fish_seen_subcommand_from {}' -l {}\n", name, flag);
      }
    }
  }
  return script;
}

}  // namespace

void add_completion_command(CLI::App& root, Command& chosen) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = root.add_subcommand("completion", "Print a completion script for your shell");
  command->footer(
      "Examples:\n"
      "  source <(cone completion bash)\n"
      "  source <(cone completion zsh)        after compinit, in ~/.zshrc\n"
      "  cone completion fish > ~/.config/fish/completions/cone.fish");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &root, &chosen] {
    chosen = [shell, &root] {
      std::cout << (*shell == "fish"  ? fish_script(root)
                    : *shell == "zsh" ? zsh_script(root)
                                      : bash_script(root));
      return kSuccess;
    };
  });
}

}  // namespace cone::app
