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

/// Options of a distributed network ridge.
struct RankRidgeOptions {
  NetworkRidgeOptions ridge;
  int folds = 0;
  std::size_t most_nodes = 0;  ///< of the sample for an arm's variances (choose_sample_size)
};

/// The network ridge on the nodes of all ranks. Scales the features of `local`, which must outlive
/// it; folds must be assigned.
class RankNetworkRidge : public FitVariance {
 public:
  /// `finished` is called at the end of every phase.
  RankNetworkRidge(const Context& context, const Communicator& comm,
                   const RankRidgeOptions& options, LocalData& local,
                   const std::function<void(const char*)>& finished);

  /// The nuisances of NetworkRidgeLearner for this rank's nodes. They keep `ridge`, which implies
  /// weights later.
  static Nuisances describe(const std::shared_ptr<const RankNetworkRidge>& ridge,
                            const Dataset& data, const FitPlan& plan);

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override;

  const Matrix<double>& mu() const { return model_->mu(); }  ///< positions × arms
  /// Frees the equations: no predictions or weights afterwards.
  void release_equations();

 private:
  NetworkRidgeSummary summarise() const;

  const Context context_;  ///< on all threads of the rank
  RankSystem system_;
  std::optional<LearntArms> learnt_;
  std::optional<RankSolver> solver_;
  std::optional<RankModel> model_;
};

}  // namespace cone::distributed
