#include "options_file_flag.hpp"

#include <memory>
#include <string>
#include <string_view>

#include "cone/json.hpp"
#include "cone/options.hpp"

namespace cone::app {
namespace {

/// Only options that no flag set: the command line takes precedence.
void take_unless_given(const CLI::App& command, const ConeOptions& from_file,
                       ConeOptions& options) {
  ConeOptions::visit(
      options, [&]<class T>(std::string_view name, T& value, std::string_view, const Range& = {}) {
        if (command.count(flag_name(name)) > 0) return;
        ConeOptions::visit(from_file, [&]<class U>(std::string_view other, const U& file_value,
                                                   std::string_view, const Range& = {}) {
          if constexpr (std::is_same_v<T, U>) {
            if (other == name) value = file_value;
          }
        });
      });
}

}  // namespace

std::shared_ptr<const std::string> bind_options_file(CLI::App& command, ConeOptions& options) {
  auto file = std::make_shared<std::string>();
  command.add_option(
      "--options", *file,
      "Take the options of cone's networks from this file (best.json of cone tune); flags "
      "override it");
  command.parse_complete_callback([file, &command, &options] {
    if (command.count("--options") == 0) return;
    take_unless_given(command, read_option_file<ConeOptions>(*file), options);
  });
  return file;
}

}  // namespace cone::app
