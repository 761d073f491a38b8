#include "distributed/rank_network_ridge.hpp"

#include <algorithm>
#include <utility>

#include "cone/error.hpp"

#include "distributed/ridge_groups.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/prediction_bounds.hpp"

namespace cone::distributed {
namespace {

RankSystem make_system(const Context& context, const Communicator& comm,
                       const RankRidgeOptions& options, LocalData& local) {
  const NetworkRidgeOptions& ridge = options.ridge;
  scale_features(context, comm,
                 {.smooth = asks_for(ridge.ridge_groups, GroupKind::kOwnSmooth),
                  .curves = asks_for(ridge.ridge_groups, GroupKind::kOwnCurves)},
                 local);
  return {.comm = comm,
          .local = local,
          .groups = list_ridge_groups(context, comm, local, ridge.ridge_groups),
          .undersmoothing = ridge.undersmoothing,
          .num_tasks = static_cast<std::size_t>(options.folds)};
}

}  // namespace

RankNetworkRidge::RankNetworkRidge(const Context& context, const Communicator& comm,
                                   const RankRidgeOptions& options, LocalData& local,
                                   const std::function<void(const char*)>& finished)
    : context_(context), system_(make_system(context, comm, options, local)) {
  finished("inputs");
  learnt_.emplace(learn_arms(context, options.ridge, options.most_nodes, system_));
  finished("variances");
  solver_.emplace(context, system_, learnt_->dense);
  finished("preconditioner");
  model_.emplace(context, system_, *solver_);
  finished("predictions");
}

void RankNetworkRidge::release_equations() {
  model_.reset();
  solver_.reset();
  learnt_.reset();
}

NetworkRidgeSummary RankNetworkRidge::summarise() const {
  NetworkRidgeSummary out{.solver = learnt_->dense.has_all() ? "dense" : "iterative",
                          .iterations = model_->iterations(),
                          .converged = model_->converged(),
                          .undersmoothing = system_.undersmoothing};
  std::vector<GroupKind> kinds;
  for (const RidgeGroup& group : system_.groups) kinds.push_back(group.kind);
  for (std::size_t a = 0; a < system_.arms.size(); ++a) {
    out.arms.push_back(describe_variances(system_.local.global.arms[a], kinds, system_.arms[a],
                                          learnt_->learnt[a]));
  }
  return out;
}

Nuisances RankNetworkRidge::describe(const std::shared_ptr<const RankNetworkRidge>& ridge,
                                     const Dataset& data, const FitPlan& plan) {
  OutcomeTable out;
  out.mu = ridge->model_->mu();
  for (const FitTask& task : plan.tasks) {
    const PlausibleRange range = plausible_range(data, task.fit, ridge->system_.comm);
    const std::vector<std::size_t> rows = find_rows(plan.scored, task.score);
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      std::vector<double> mu;
      mu.reserve(rows.size());
      for (const std::size_t row : rows) mu.push_back(out.mu(row, a));
      note_implausible(range, rows, static_cast<Arm>(a), mu, out);
    }
  }
  auto summary = std::make_shared<NetworkRidgeSummary>(ridge->summarise());
  add_ridge_warnings(*summary, out.warnings);
  out.network_ridge = std::move(summary);
  out.variance = ridge;
  Nuisances nuisances;
  nuisances.outcome = std::move(out);
  return nuisances;
}

std::vector<ImpliedWeights> RankNetworkRidge::imply_weights(
    const Context& /*context*/, std::span<const MatrixView<const double>> policies) const {
  require(model_.has_value(), "network ridge: weights after its equations were released");
  std::vector<Matrix<double>> tables;
  for (const MatrixView<const double>& policy : policies) {
    Matrix<double>& table = tables.emplace_back(policy.rows(), policy.cols());
    for (std::size_t p = 0; p < policy.rows(); ++p) {
      std::ranges::copy(policy.row(p), table.row(p).begin());
    }
  }
  return model_->imply_weights(context_, tables);
}

}  // namespace cone::distributed
