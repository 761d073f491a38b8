#pragma once

#include <memory>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/sensitivity.hpp"

namespace cone {

/// The factor by which correlated errors of connected units increase standard errors. The views and
/// the data must outlive it.
class ErrorInflation {
 public:
  ErrorInflation(const Context& context, const Dataset& data, const LoggedTables& tables,
                 Dependence wanted, double level);
  ~ErrorInflation();

  /// The standard error of the contrast for a target under the given dependence, over the one for
  /// independent nodes. With few clusters the factor includes the ratio of the t to the normal
  /// quantile at the level.
  double factor(const Context& context, const Contrast& contrast, const ContrastEstimate& estimate,
                Target target) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace cone
