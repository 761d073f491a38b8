#pragma once

#include <cstddef>

#include <fmt/format.h>

#include "exec/context.hpp"

namespace cone {

/// While it lives, the run is in fold `number` (from 0) of `count` that take equally long.
class FoldStage {
 public:
  FoldStage(const Context& context, std::size_t number, std::size_t count)
      : scope_(context, fmt::format("fold {} of {}", number + 1, count),
               static_cast<double>(number) / static_cast<double>(count),
               static_cast<double>(number + 1) / static_cast<double>(count)) {}

 private:
  StageScope scope_;
};

}  // namespace cone
