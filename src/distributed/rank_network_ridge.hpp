#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cone/evaluate.hpp"
#include "cone/learn.hpp"

#include "distributed/rank_model.hpp"
#include "distributed/rank_solver.hpp"
#include "distributed/rank_system.hpp"
#include "distributed/rank_variances.hpp"

namespace cone::distributed {

/// The network ridge of all ranks' nodes. Scales the features of the share for itself; the share
/// must outlive it, and its folds be dealt.
class RankNetworkRidge : public FitVariance {
 public:
  /// `finished` hears of every phase.
  RankNetworkRidge(const Context& context, const Ranks& ranks, const EvaluateOptions& options,
                   Share& share, const std::function<void(const char*)>& finished);

  /// What NetworkRidgeLearner finds on one machine, for this rank's nodes. `ridge` goes along, to
  /// answer for weights.
  static Nuisances describe(const std::shared_ptr<const RankNetworkRidge>& ridge,
                            const Dataset& data, const FitPlan& plan);

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override;

 private:
  NetworkRidgeSummary summarise() const;

  const Context context_;  ///< on all threads of the rank
  RankSystem system_;
  std::optional<LearntTogether> learnt_;
  std::optional<RankSolver> solver_;
  std::optional<RankModel> model_;
};

}  // namespace cone::distributed
