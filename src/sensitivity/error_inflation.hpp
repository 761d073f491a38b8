#pragma once

#include <limits>
#include <memory>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/sensitivity.hpp"

namespace cone {

/// Of the standard error of a contrast.
struct InflatedError {
  double factor = 1;  ///< the standard error over the one for independent nodes
  double degrees_of_freedom = std::numeric_limits<double>::infinity();
};

/// The factor by which correlated errors of connected units increase standard errors. The views and
/// the data must outlive it.
class ErrorInflation {
 public:
  ErrorInflation(const Context& context, const Dataset& data, const LoggedTables& tables,
                 Dependence wanted);
  ~ErrorInflation();

  /// For a target, under the given dependence.
  InflatedError measure(const Context& context, const Contrast& contrast,
                        const ContrastEstimate& estimate, Target target) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace cone
