#include <cmath>

#include "exec/statistics.hpp"
#include "joint_model/joint_model.hpp"

// Values of policies by a joint model that has been fitted.

namespace cone {
namespace {

/// Relative error of a change because variances are estimated.
constexpr double kModelError = 0.25;

/// The mean over the nodes of all ranks of the policy's probability times one column.
double mean_of_arm(MatrixView<const double> policy, const Matrix<double>& table, std::size_t arm,
                   const Communicator& comm) {
  std::vector<double> terms;
  terms.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) terms.push_back(policy(i, arm) * table(i, arm));
  return mean(terms, comm);
}

AlternativeValue revalue(const JointModel& model, const JointModel::Variant& variant,
                         MatrixView<const double> policy, bool needs_equal_slopes,
                         const Matrix<double>* noise_range) {
  AlternativeValue out;
  for (std::size_t a = 0; a < model.arms.size(); ++a) {
    const JointArm& arm = model.arms[a];
    const auto mean_of = [&](const Matrix<double>& table) {
      return mean_of_arm(policy, table, a, *model.comm);
    };
    const bool is_used = arm.trust > 0 && (arm.has_equal_slopes || !needs_equal_slopes);
    const double trust = is_used ? arm.trust : 0;
    const double change = is_used ? mean_of(variant.change) : 0;
    const double extrapolated = is_used ? mean_of(variant.extrapolated) : 0;
    out.shift += trust * change;
    out.deviations.push_back(is_used ? trust * extrapolated * arm.slope_error / arm.slope : 0);
    out.deviations.push_back(trust * kModelError * change);
    out.deviations.push_back(std::sqrt(trust * (1 - trust)) * change);
    const double range = is_used && noise_range != nullptr ? mean_of(*noise_range) : 0;
    out.deviations.push_back(trust * arm.noise_share_error * range);
  }
  return out;
}

}  // namespace

std::vector<AlternativeValue> JointModel::revalue(MatrixView<const double> policy) const {
  return {cone::revalue(*this, without_noise, policy, false, nullptr),
          cone::revalue(*this, with_noise, policy, false, &noise_range)};
}

AlternativeValue JointModel::revalue_cautiously(MatrixView<const double> policy) const {
  return cone::revalue(*this, without_noise, policy, true, nullptr);
}

}  // namespace cone
