#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/error.hpp"
#include "cone/options.hpp"

namespace cone {

/// Whether the user set the option of this name ("train_fraction"), whatever the front end.
using IsGiven = std::function<bool(std::string_view name)>;

/// Options that were set but have no effect in a run: all refused together instead of ignored.
class IdleOptions {
 public:
  explicit IdleOptions(const IsGiven& is_given) : is_given_(is_given) {}

  void refuse(std::string_view name, const std::string& what, const std::string& advice) {
    if (is_given_(name)) faults_.push_back({{.item = flag_name(name)}, what, advice});
  }
  /// Every option of a struct.
  template <class Options>
  void refuse_all(const std::string& what, const std::string& advice) {
    const Options options;
    Options::visit(options, [&](std::string_view name, const auto&, std::string_view,
                                const Range& = {}) { refuse(name, what, advice); });
  }
  /// Throws Error(kUsage).
  void throw_if_any() {
    if (!faults_.empty()) throw Error(ErrorCode::kUsage, std::move(faults_));
  }

 private:
  const IsGiven& is_given_;
  std::vector<Fault> faults_;
};

}  // namespace cone
