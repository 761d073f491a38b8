#include "evaluate/workload.hpp"

#include <algorithm>

#include "cone/settings.hpp"

#include "linear/linear.hpp"
#include "network_ridge/network_ridge.hpp"

namespace cone {
namespace {

// Seconds on one core.
constexpr double kPerLogisticEntry = 2.5e-7;  // per entry, fold and inner fold
constexpr double kPerRidgeEntry = 1.5e-7;     // the same, for the path of penalties
constexpr double kPerProduct = 2e-10;         // of a Gram matrix or a factorisation
constexpr double kPerEntryRead = 2e-8;        // per entry and fold, for everything around it
constexpr double kPerHiddenEntry = 1e-10;     // per entry, hidden unit, fold and epoch
constexpr double kPerConeNumber = 1.8e-10;    // per entry, column of z, fold and epoch
constexpr double kPerRidgeProduct = 3e-11;    // of a dense factor or its inverse
constexpr double kPerIteratedEntry = 2.5e-6;  // per entry and fold, all iterations
constexpr double kPerKernelProduct = 4e-11;   // n³, the choice of λ included

}  // namespace

Workload::Workload(const Dataset& data, const EvaluateOptions& options, int num_threads)
    : options_(options),
      nodes_(static_cast<double>(data.num_nodes())),
      entries_(static_cast<double>(data.features.matrix.num_entries())),
      columns_(static_cast<double>(data.features.matrix.cols())),
      directed_edges_(2 * static_cast<double>(data.graph.num_edges())),
      folds_(options.plan.protocol == Protocol::kSplit ? 1 : options.plan.folds),
      threads_(num_threads) {}

double Workload::logistic_seconds(double entries) const {
  const double inner =
      options_.plan.protocol == Protocol::kSplit ? 1 : options_.plan.selection_folds;
  return kPerLogisticEntry * entries * inner;
}

double Workload::propensity_seconds() const {
  return folds_ * logistic_seconds(entries_ + nodes_) / threads_;
}

double Workload::regression_seconds(bool chooses_penalty) const {
  const double side = std::min(columns_, nodes_ / 2);
  const double products = entries_ * std::min(side, entries_ / std::max(1.0, nodes_)) +
                          std::min(side, static_cast<double>(kLargestDirectFit)) * side * side / 3;
  double seconds = kPerProduct * products + kPerEntryRead * (entries_ + nodes_);
  if (chooses_penalty) {
    const double inner =
        options_.plan.protocol == Protocol::kSplit ? 1 : options_.plan.selection_folds;
    seconds += kPerRidgeEntry * (entries_ + nodes_) * inner;
  }
  return folds_ * seconds / threads_;
}

double Workload::network_seconds() const {
  const double per_epoch = kPerHiddenEntry * (entries_ + nodes_) * options_.cone.hidden;
  return folds_ * options_.cone.epochs * per_epoch / threads_;
}

double Workload::kernel_seconds() const {
  return (kPerKernelProduct * nodes_ * nodes_ * nodes_ + kPerProduct * nodes_ * entries_) /
         threads_;
}

double Workload::network_ridge_seconds(bool is_fitted) const {
  // Of the largest arm: about eight inverses to learn the variances, or one where they are known,
  // and the products of the neighbours' words.
  const double arm = std::min(nodes_ / 2, static_cast<double>(kLargestDenseArm));
  const double dense =
      kPerRidgeProduct * arm * arm * ((is_fitted ? 2 : 16) * arm + std::min(columns_, 1e4));
  if (nodes_ / 2 <= static_cast<double>(kLargestDenseArm)) return dense / threads_;
  return (dense + kPerIteratedEntry * (entries_ + directed_edges_) * folds_) / threads_;
}

double Workload::cone_seconds(bool is_fitted) const {
  const double numbers = 2.0 * options_.cone.heads * options_.cone.head_size * options_.cone.layers;
  const double per_epoch =
      kPerConeNumber * numbers * (entries_ + directed_edges_ + kEntriesPerNode * nodes_);
  if (is_fitted) return folds_ * per_epoch / threads_;
  const double validation_nodes = nodes_ / options_.plan.selection_folds;
  return folds_ *
         (options_.cone.epochs * per_epoch + logistic_seconds(validation_nodes * numbers)) /
         threads_;
}

std::uint64_t cone_epoch_entries(const Dataset& data) {
  return 2 * data.graph.num_edges() + data.features.matrix.num_entries() +
         kEntriesPerNode * data.num_nodes();
}

}  // namespace cone
