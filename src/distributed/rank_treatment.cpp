#include "distributed/rank_treatment.hpp"

#include <utility>
#include <vector>

#include "distributed/rank_network_ridge.hpp"
#include "inference/network_treatment.hpp"
#include "network_ridge/treatment_ridge.hpp"

namespace cone::distributed {
namespace {

/// Data of the treatment model: all positions in one arm, with the indicator of a treatment arm as
/// the outcome. Features and neighbours are most of a rank's memory, so their tables are swapped
/// with those of `source` during the lifetime of this object. Folds stay those of the outcome
/// model, stratified by the observed arms, as in one process.
///
/// Positions stay sorted by arm: samples and random vectors depend on nodes' hashes and numbers
/// only. Smooth features and curves do not depend on arms and are reused.
class TreatmentData {
 public:
  TreatmentData(const Communicator& comm, LocalData& source, bool uses_network)
      : source_(source),
        uses_network_(uses_network),
        treatment_{.ghosts = comm.connect_ghosts({.num_owned = source.size()})} {
    const std::size_t n = source.size();
    swap_tables();
    treatment_.global.num_nodes = source.global.num_nodes;
    treatment_.global.arm_sizes = {source.global.num_nodes};
    treatment_.arm_begin = {0, n};
    treatment_.is_scaled = true;
    if (uses_network) {
      treatment_.global.edges = source.global.edges;
    } else {
      treatment_.list_offsets.assign(n + 1, 0);
      treatment_.degree.assign(n, 0.0);
      treatment_.relative_degree.assign(n, 0.0);
      treatment_.inverse_degree.assign(n, 1.0);
    }
    treatment_.arm_offsets = treatment_.list_offsets;  // all neighbours are in the one arm
  }
  TreatmentData(const TreatmentData&) = delete;
  TreatmentData& operator=(const TreatmentData&) = delete;
  ~TreatmentData() { swap_tables(); }

  LocalData& with_outcome(Arm arm) {
    treatment_.global.arms = {source_.global.arms[arm]};
    treatment_.outcome.assign(treatment_.size(), 0.0);
    for (std::size_t p = source_.arm_begin[arm]; p < source_.arm_begin[arm + 1]; ++p) {
      treatment_.outcome[p] = 1;
    }
    return treatment_;
  }

 private:
  /// Its own inverse.
  void swap_tables() {
    std::swap(treatment_.number, source_.number);
    std::swap(treatment_.hash, source_.hash);
    std::swap(treatment_.fold, source_.fold);
    std::swap(treatment_.counts, source_.counts);
    std::swap(treatment_.counts_transposed, source_.counts_transposed);
    std::swap(treatment_.numeric, source_.numeric);
    std::swap(treatment_.smooth, source_.smooth);
    std::swap(treatment_.curves, source_.curves);
    if (!uses_network_) return;
    std::swap(treatment_.degree, source_.degree);
    std::swap(treatment_.relative_degree, source_.relative_degree);
    std::swap(treatment_.inverse_degree, source_.inverse_degree);
    std::swap(treatment_.list_offsets, source_.list_offsets);
    std::swap(treatment_.lists, source_.lists);
    std::swap(treatment_.ghosts, source_.ghosts);
    std::swap(treatment_.remote, source_.remote);
  }

  LocalData& source_;
  bool uses_network_;
  LocalData treatment_;
};

}  // namespace

NetworkStrength measure_treatment_on_ranks(const Context& context, const Communicator& comm,
                                           const EvaluateOptions& options,
                                           const LoggedSample& sample,
                                           const PropensityBounds& bounds, LocalData& local) {
  TreatmentFit fit =
      plan_treatment_fit(options.network_ridge, local.global.num_nodes, local.num_arms());
  const RankRidgeOptions asked{
      .ridge = std::move(fit.options), .folds = options.plan.folds, .most_nodes = fit.most_nodes};
  const std::vector<double> degrees = local.degree;  // TreatmentData swaps them away
  return measure_network_treatment(context, sample, degrees, bounds, [&](bool uses_network) {
    TreatmentData treatment(comm, local, uses_network);
    return combine_scores(
        sample.arm, sample.num_arms(),
        [&](Arm arm) {
          const RankNetworkRidge ridge(context, comm, asked, treatment.with_outcome(arm),
                                       [](const char*) {});
          return arm_column(ridge.mu().view(), 0);
        },
        comm);
  });
}

}  // namespace cone::distributed
