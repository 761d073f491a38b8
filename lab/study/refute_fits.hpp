#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/network_ridge_learner.hpp"
#include "study/refute.hpp"
#include "study/refute_data.hpp"

namespace cone {

/// The fits of a refutation. On ranks the root asks for them, the others serve() it, and every fit
/// is to data that are distributed for it.
class RefuteFits {
 public:
  using Policies = std::span<const MatrixView<const double>>;

  RefuteFits(const Context& context, const RefuteOptions& options, Distribute distribute)
      : comm_(context.comm()), options_(options), distribute_(std::move(distribute)) {}
  RefuteFits(const RefuteFits&) = delete;
  RefuteFits& operator=(const RefuteFits&) = delete;
  /// Ends serve() on the other ranks.
  ~RefuteFits();

  /// mean(Σ_a π_a μ_a) − ȳ of every policy by the network ridge, optionally with standard errors;
  /// with the variances of learn_variances(), once it was called.
  nlohmann::ordered_json measure_differences(const Context& context, const Dataset& data,
                                             Policies policies, bool with_errors);
  /// Fits the original data. Later fits keep its variance components: they measure the effect of
  /// the data and the folds, not that of estimating a few variances again. Returns the world of the
  /// bootstrap where it is wanted.
  BootstrapWorld learn_variances(const Context& context, const Dataset& data, Policies policies,
                                 bool wants_world);
  /// Nodes × arms, by logistic regression.
  Matrix<double> learn_propensities(const Context& context, const Dataset& data);

  /// On every rank but the root.
  void serve(const Context& context);

 private:
  enum class Job : std::uint64_t { kEnd, kDifferences, kErrors, kVariances, kWorld, kPropensities };
  /// What a job finds; on other ranks than the root nobody reads it.
  struct Found {
    nlohmann::ordered_json differences;
    BootstrapWorld world;
    Matrix<double> propensity;
  };

  Found run(Job job, const Context& context, const Dataset& data, Policies policies);
  Found fit(Job job, const Context& context, const Dataset& data, Policies policies);

  const Communicator& comm_;
  const RefuteOptions& options_;
  Distribute distribute_;
  VarianceSource answer_;
  bool is_fitting_ = false;  ///< the other ranks are within a fit
};

}  // namespace cone
