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

/// Bash's own language; zsh runs it through bashcompinit. Built from the declared commands, so it
/// never falls behind them.
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
      "  cone completion fish > ~/.config/fish/completions/cone.fish");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &root, &chosen] {
    chosen = [shell, &root] {
      if (*shell == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
      std::cout << (*shell == "fish" ? fish_script(root) : bash_script(root));
      return kSuccess;
    };
  });
}

}  // namespace cone::app
