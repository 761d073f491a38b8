#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

#include "cone/file.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

namespace cone::app {

/// An empty name is a variable of a script that was never set.
inline std::string file_name(const std::string& word) {
  return word.empty() ? "is empty; name a file or leave it out" : "";
}

/// For commands that write tables.
inline void add_spreadsheet_flag(CLI::App& command, CsvCells& cells) {
  command.add_flag_callback(
      "--spreadsheet-safe", [&cells] { cells = CsvCells::kSpreadsheetSafe; },
      "CSV files: put an apostrophe before texts that a spreadsheet would take for formulas (they "
      "begin with = + - @); ids then differ from those of the data");
}

/// Reports are HTML: refuses file names with another extension.
inline std::string page_name(const std::string& word) {
  const std::string extension = lower_case(std::filesystem::path(word).extension().string());
  const bool fits = extension.empty() || extension == ".html" || extension == ".htm";
  return fits ? file_name(word)
              : word + " would hold HTML; name a file .html (a browser prints it as PDF)";
}

/// CLI11 reads "-1" and numbers that are too large as the largest unsigned number.
inline std::string whole_number(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool fits = failure == std::errc() && end == word.data() + word.size();
  return fits ? "" : word + " is not a whole number from 0 to 18446744073709551615";
}

/// An option visitor that declares one flag per field. The field's value at this moment is the
/// default that the help shows; ranges are checked later by validate(), all of them together.
class FlagBinder {
 public:
  FlagBinder(CLI::App& command, std::string group) : command_(command), group_(std::move(group)) {}

  template <class T>
  void operator()(std::string_view name, T& value, std::string_view help,
                  const Range& /*range*/ = {}) {
    const std::string flag = flag_name(name);
    const std::string text(help);
    CLI::Option* option = nullptr;
    if constexpr (std::is_same_v<T, bool>) {
      option = command_.add_flag(value ? flag + ",!--no-" + flag.substr(2) : flag, value, text);
    } else if constexpr (std::is_same_v<T, Declaration>) {
      option = command_
                   .add_flag_function(
                       flag + ",!--no-" + flag.substr(2),
                       [&value](std::int64_t said) { value = said > 0; }, text)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    } else if constexpr (std::is_enum_v<T>) {
      option =
          command_
              .add_option_function<std::string>(
                  flag, [&value](const std::string& word) { value = enum_value<T>(word); }, text)
              ->transform(CLI::IsMember(enum_choices<T>(), hyphens_as_underscores))
              ->default_str(std::string(enum_name(value)));
    } else if constexpr (std::is_same_v<T, AutoNumber>) {
      option =
          command_
              .add_option_function<std::string>(
                  flag, [&value, flag](const std::string& word) { take(flag, word, value); }, text)
              ->type_name("FLOAT")
              ->default_str(option_text(value));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      // One word each time: the next one may be DATA.
      option = command_.add_option(flag, value, text)->delimiter(',')->allow_extra_args(false);
    } else {
      option = command_.add_option(flag, value, text);
      if constexpr (!std::is_same_v<T, std::string>) option->capture_default_str();
      if constexpr (std::is_unsigned_v<T>) option->check(whole_number);
    }
    option->group(group_);
  }

 private:
  /// Fails as CLI11 does where the word is not a number.
  static void take(const std::string& flag, const std::string& word, AutoNumber& value) {
    double number = 0;
    if (word == kAutomatic) {
      value.reset();
    } else if (CLI::detail::lexical_cast(word, number)) {
      value = number;
    } else {
      throw CLI::ConversionError(flag, std::vector<std::string>{word});
    }
  }
  template <class T>
  static T enum_value(const std::string& word) {
    for (const auto& [value, name] : EnumNames<T>::kNames) {
      if (name == word) return value;
    }
    throw CLI::ValidationError("no such choice: " + word);
  }
  /// cross-fit is as good as cross_fit.
  static std::string hyphens_as_underscores(std::string word) {
    for (char& c : word) c = c == '-' ? '_' : c;
    return word;
  }

  CLI::App& command_;
  std::string group_;
};

/// Declares the flags of an options struct under a heading of the help.
template <class Options>
void bind_flags(CLI::App& command, Options& options, const std::string& group) {
  Options::visit(options, FlagBinder(command, group));
}

/// Moves the flags of a struct that is part of a bound one under their own heading.
template <class Options>
void regroup_flags(CLI::App& command, const std::string& group) {
  const Options options;
  Options::visit(options,
                 [&](std::string_view name, const auto&, std::string_view, const Range& = {}) {
                   command.get_option(flag_name(name))->group(group);
                 });
}

/// Flags of every computing command.
struct CommonFlags {
  std::uint64_t seed = 0;
  int threads = 0;
  bool quiet = false;

  void bind(CLI::App& command) {
    command.add_option("--seed", seed, "Random seed")->check(whole_number)->capture_default_str();
    command
        .add_option(
            "--threads", threads,
            "Number of threads; 0 is one per core. Never changes a result. At most 256, or one "
            "per core, are started")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    command.add_flag("--quiet,-q", quiet, "Print no progress and no notes");
  }
};

}  // namespace cone::app
