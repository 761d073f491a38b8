#include "flag_checks.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

namespace cone::app {

void refuse_flags_of_parts(const CLI::App& command, const std::vector<std::string>& parts) {
  std::vector<Fault> faults;
  const auto refuse_unless = [&]<class Options>(const Options& options, const char* part) {
    if (std::find(parts.begin(), parts.end(), part) != parts.end()) return;
    Options::visit(
        options, [&](std::string_view name, const auto&, std::string_view, const Range& = {}) {
          if (command.count(flag_name(name)) == 0) return;
          faults.push_back({{.item = flag_name(name)},
                            fmt::format("has no effect with --parts {}", fmt::join(parts, ",")),
                            fmt::format("leave it out, or add {} to --parts", part)});
        });
  };
  if (parts.empty()) return;
  refuse_unless(ConeOptions(), "networks");
  refuse_unless(NetworkRidgeOptions(), "network_ridge");
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

IsGiven flags_given(const CLI::App& command) {
  return [&command](std::string_view name) { return command.count(flag_name(name)) > 0; };
}

}  // namespace cone::app
