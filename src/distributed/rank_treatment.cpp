#include "distributed/rank_treatment.hpp"

#include <utility>
#include <vector>

#include "distributed/rank_network_ridge.hpp"
#include "inference/network_treatment.hpp"
#include "network_ridge/treatment_ridge.hpp"

namespace cone::distributed {
namespace {

/// The positions of a share in one arm, with "got this arm" as their outcome. Tables of features
/// and of neighbours are most of what a rank holds: they are taken from the share while this lives
/// and given back at its end. Folds stay those of the arms that units were in, as on one machine.
///
/// Positions keep their order, which the arms decide: what depends on an order (samples, random
/// vectors) goes by units's hashes and numbers. Smooth features and curves of the measurements
/// know no arm, and are taken as they are.
class TreatmentShare {
 public:
  TreatmentShare(const Ranks& ranks, Share& lender, bool sees_network)
      : lender_(lender),
        sees_network_(sees_network),
        asked_{.ghosts = Ghosts(ranks, lender.size(), {})} {
    const std::size_t n = lender.size();
    exchange_tables();
    asked_.whole.num_nodes = lender.whole.num_nodes;
    asked_.whole.arm_sizes = {lender.whole.num_nodes};
    asked_.arm_begin = {0, n};
    asked_.is_scaled = true;
    if (sees_network) {
      asked_.whole.edges = lender.whole.edges;
    } else {
      asked_.list_offsets.assign(n + 1, 0);
      asked_.degree.assign(n, 0.0);
      asked_.relative_degree.assign(n, 0.0);
      asked_.inverse_degree.assign(n, 1.0);
    }
    asked_.arm_offsets = asked_.list_offsets;  // all neighbours are in the one arm
  }
  TreatmentShare(const TreatmentShare&) = delete;
  TreatmentShare& operator=(const TreatmentShare&) = delete;
  ~TreatmentShare() { exchange_tables(); }

  Share& split_on(Arm arm) {
    asked_.whole.arms = {lender_.whole.arms[arm]};
    asked_.outcome.assign(asked_.size(), 0.0);
    for (std::size_t p = lender_.arm_begin[arm]; p < lender_.arm_begin[arm + 1]; ++p) {
      asked_.outcome[p] = 1;
    }
    return asked_;
  }

 private:
  /// Twice, and everything is where it was.
  void exchange_tables() {
    std::swap(asked_.number, lender_.number);
    std::swap(asked_.hash, lender_.hash);
    std::swap(asked_.fold, lender_.fold);
    std::swap(asked_.words, lender_.words);
    std::swap(asked_.positions_of_words, lender_.positions_of_words);
    std::swap(asked_.columns, lender_.columns);
    std::swap(asked_.smooth, lender_.smooth);
    std::swap(asked_.curves, lender_.curves);
    if (!sees_network_) return;
    std::swap(asked_.degree, lender_.degree);
    std::swap(asked_.relative_degree, lender_.relative_degree);
    std::swap(asked_.inverse_degree, lender_.inverse_degree);
    std::swap(asked_.list_offsets, lender_.list_offsets);
    std::swap(asked_.lists, lender_.lists);
    std::swap(asked_.ghosts, lender_.ghosts);
    std::swap(asked_.remote, lender_.remote);
  }

  Share& lender_;
  bool sees_network_;
  Share asked_;
};

}  // namespace

NetworkStrength measure_treatment_together(const Context& context, const Ranks& ranks,
                                           const EvaluateOptions& options,
                                           const LoggedSample& sample,
                                           const PropensityBounds& bounds, Share& share) {
  TreatmentFit fit =
      plan_treatment_fit(options.network_ridge, share.whole.num_nodes, share.num_arms());
  const RankRidgeOptions asked{
      .ridge = std::move(fit.options), .folds = options.plan.folds, .most_nodes = fit.most_nodes};
  return measure_network_treatment(context, sample, bounds, [&](bool sees_network) {
    TreatmentShare treatment(ranks, share, sees_network);
    return combine_scores(
        sample.arm, sample.num_arms(),
        [&](Arm arm) {
          const RankNetworkRidge ridge(context, ranks, asked, treatment.split_on(arm),
                                       [](const char*) {});
          return arm_column(ridge.mu().view(), 0);
        },
        ranks);
  });
}

}  // namespace cone::distributed
