#pragma once

#include <memory>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/sensitivity.hpp"

namespace cone {

/// How much larger standard errors are because errors of connected units go together. The views
/// and the data must outlive it.
class ErrorInflation {
 public:
  ErrorInflation(const Context& context, const Dataset& data, const LoggedTables& tables,
                 Dependence wanted, double level);
  ~ErrorInflation();

  /// The standard error of the contrast for a target by the dependence that is wanted, over the one
  /// of independent nodes. Of few clusters it makes a normal quantile at the level do for the
  /// t distribution.
  double factor(const Context& context, const Contrast& contrast, const ContrastEstimate& estimate,
                Target target) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace cone
