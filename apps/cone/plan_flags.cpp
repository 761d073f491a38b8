#include "plan_flags.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/base/error.hpp"

namespace cone::app {

void refuse_idle_plan_flags(const CLI::App& command, Protocol protocol) {
  const bool split = protocol == Protocol::kSplit;
  const std::vector<std::string> idle =
      split ? std::vector<std::string>{"--folds", "--selection-folds"}
            : std::vector<std::string>{"--train-fraction", "--validation-fraction", "--stratified"};
  std::vector<Fault> faults;
  for (const std::string& flag : idle) {
    if (command.count(flag) == 0) continue;
    faults.push_back({{.item = flag},
                      fmt::format("has no part in --protocol {}", enum_name(protocol)),
                      split ? "leave it out" : "add --protocol split, or leave it out"});
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

}  // namespace cone::app
