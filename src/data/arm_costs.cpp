#include "data/arm_costs.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "data/arm_labels.hpp"
#include "data/number.hpp"

namespace cone {

void check_costs(std::span<const std::string> words, std::vector<Fault>& faults) {
  for (const std::string& text : words) {
    const std::size_t at = text.rfind('=');
    const bool is_number =
        at != std::string::npos && at > 0 &&
        parse_number(std::string_view(text).substr(at + 1)).kind == NumberKind::kFinite;
    if (is_number) continue;
    faults.push_back({{.item = fmt::format("--cost {}", printable(text))},
                      "is not of the form LABEL=NUMBER",
                      "write for example --cost email=0.05"});
  }
}

std::vector<double> read_costs(const Dataset& data, std::span<const std::string> words) {
  std::vector<double> out(data.num_arms(), 0.0);
  std::vector<char> is_set(data.num_arms(), 0);
  std::vector<Fault> faults;
  for (const std::string& text : words) {
    const Place place{.item = fmt::format("--cost {}", printable(text))};
    const std::size_t at = text.rfind('=');  // a label may hold a =
    const std::string_view label = std::string_view(text).substr(0, at);
    const auto arm = find_arm(data.arms, label);
    if (!arm) {
      faults.push_back({place, fmt::format("the data has no arm '{}'", printable(label)),
                        fmt::format("the arms are {}", list_arms(data.arms))});
    } else if (is_set[*arm] != 0) {
      faults.push_back({place, "the arm has a cost already", "name every arm once"});
    } else {
      is_set[*arm] = 1;
      out[*arm] = parse_number(std::string_view(text).substr(at + 1)).value;
    }
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
  return out;
}

}  // namespace cone
