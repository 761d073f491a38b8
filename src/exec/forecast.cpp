#include <utility>

#include <fmt/format.h>

#include "cone/context.hpp"

namespace cone {

double total_seconds(std::span<const ExpectedCost> costs) {
  double total = 0;
  for (const ExpectedCost& cost : costs) total += cost.seconds;
  return total;
}

StageList::StageList(const Context& context, std::vector<ExpectedCost> costs)
    : context_(context), costs_(std::move(costs)) {
  const double total = total_seconds(costs_);
  double before = 0;
  for (std::size_t k = 0; k < costs_.size(); ++k) {
    before += costs_[k].seconds;
    const bool is_last = k + 1 == costs_.size();  // the last stage ends at 1 despite rounding
    ends_.push_back(is_last     ? 1
                    : total > 0 ? before / total
                                : static_cast<double>(k + 1) / static_cast<double>(costs_.size()));
  }
}

StageScope StageList::enter(std::size_t k, std::string_view label) const {
  return StageScope(context_, label.empty() ? std::string_view(costs_[k].name) : label, begin(k),
                    ends_[k]);
}

StageScope StageList::enter_part(std::size_t k, std::size_t part, std::size_t count) const {
  const double step = (ends_[k] - begin(k)) / static_cast<double>(count);
  return StageScope(context_, fmt::format("{} {} of {}", costs_[k].name, part + 1, count),
                    begin(k) + step * static_cast<double>(part),
                    begin(k) + step * static_cast<double>(part + 1));
}

}  // namespace cone
