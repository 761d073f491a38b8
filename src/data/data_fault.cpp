#include "data/data_fault.hpp"

#include <utility>

namespace cone {

void fail_data(const Place& place, std::string what, std::string advice) {
  throw Error(ErrorCode::kData, {place, std::move(what), std::move(advice)});
}

void fail_damaged(const Place& place, const std::string& what) {
  fail_data(place, "is damaged: " + what, "copy or save the file again");
}

}  // namespace cone
