#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "cone/learn.hpp"
#include "cone/options.hpp"

namespace cone {

enum class LinearModel {
  kOls1,   ///< one regression, with columns for the arms and for the features
  kOls2,   ///< one regression per arm
  kRidge,  ///< one ridge regression per arm
};

template <>
struct EnumNames<LinearModel> {
  static constexpr std::array kNames = {std::pair{LinearModel::kOls1, std::string_view("ols1")},
                                        std::pair{LinearModel::kOls2, std::string_view("ols2")},
                                        std::pair{LinearModel::kRidge, std::string_view("ridge")}};
};

/// Outcome models by linear regression on the features, with the implied weights of a policy.
///
/// The ridge penalty is chosen by squared error on the task's selection splits, for each arm
/// separately, over a geometric grid of noise-to-signal ratios from infinity (the mean) downwards;
/// ties go to the stronger penalty.
///
/// Throws Error(kData) where the data has no treatments and outcomes or an arm is missing among a
/// task's fitting nodes.
class LinearLearner : public Learner {
 public:
  /// Memory for factors that are kept for imply_weights(); beyond it they are recomputed there.
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 30;

  LinearLearner(LinearModel model, const NuisanceOptions& options,
                std::size_t kept_bytes = kKeptBytes)
      : model_(model), options_(options), kept_bytes_(kept_bytes) {}

  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  LinearModel model_;
  NuisanceOptions options_;
  std::size_t kept_bytes_;
};

}  // namespace cone
