#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cone/learn.hpp"
#include "cone/settings.hpp"

#include "distributed/rank_model.hpp"
#include "distributed/rank_solver.hpp"
#include "distributed/rank_system.hpp"
#include "distributed/rank_variances.hpp"

namespace cone::distributed {

/// What a network ridge of all ranks is asked for.
struct RankRidgeOptions {
  NetworkRidgeOptions ridge;
  int folds = 0;
  std::size_t most_nodes = 0;  ///< to learn an arm's variances on (choose_sample_size)
};

/// The network ridge of all ranks' nodes. Scales the features of the share for itself; the share
/// must outlive it, and its folds be dealt.
class RankNetworkRidge : public FitVariance {
 public:
  /// `finished` hears of every phase.
  RankNetworkRidge(const Context& context, const Ranks& ranks, const RankRidgeOptions& options,
                   Share& share, const std::function<void(const char*)>& finished);

  /// What NetworkRidgeLearner finds on one machine, for this rank's nodes. `ridge` goes along, to
  /// answer for weights.
  static Nuisances describe(const std::shared_ptr<const RankNetworkRidge>& ridge,
                            const Dataset& data, const FitPlan& plan);

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override;

  const Matrix<double>& mu() const { return model_->mu(); }  ///< positions × arms
  /// Gives the memory of the equations back: nobody may ask for predictions or weights any more.
  void forget_equations();

 private:
  NetworkRidgeSummary summarise() const;

  const Context context_;  ///< on all threads of the rank
  RankSystem system_;
  std::optional<LearntTogether> learnt_;
  std::optional<RankSolver> solver_;
  std::optional<RankModel> model_;
};

}  // namespace cone::distributed
