#include "nuisance/fit_cost.hpp"

#include <algorithm>
#include <vector>

#include "linear/linear.hpp"
#include "nuisance/spectral_embedding.hpp"

namespace cone {
namespace {

// Seconds on one core.
constexpr double kPerLogisticEntry = 2.5e-7;  // per entry, fold and inner fold
constexpr double kPerHessianEntry = 5e-10;    // the same and per column, where these are few
constexpr double kPerRidgeEntry = 1.5e-7;     // the same, for the path of penalties
constexpr double kPerProduct = 2e-10;         // of a Gram matrix or a factorisation
constexpr double kPerEntryRead = 2e-8;        // per entry and fold, for everything around it
constexpr double kPerCohesionEntry = 1e-7;    // per entry or edge, arm, fold and inner fold
constexpr double kPerEmbeddedEdge = 5e-6;     // all products with the block of vectors

}  // namespace

FitSize FitSize::scaled(double share) const {
  FitSize out = *this;
  out.nodes *= share;
  out.entries *= share;
  out.directed_edges *= share;
  out.largest_arm *= share;
  return out;
}

FitSize FitSize::without_network() const {
  FitSize out = *this;
  out.directed_edges = 0;
  return out;
}

FitSize measure_size(const Context& context, const Dataset& data, const PlanOptions& plan) {
  std::vector<double> of_arm(data.num_arms(), 0.0);
  for (const Arm arm : data.treatment) ++of_arm[arm];
  // The same on all ranks, as steps are ordered by their expected times.
  data.comm().allreduce(of_arm);
  const bool is_split = plan.protocol == Protocol::kSplit;
  return {.nodes = static_cast<double>(data.num_nodes_of_all()),
          .entries = data.comm().count(data.features.matrix.num_entries()),
          .columns = static_cast<double>(data.features.matrix.cols()),
          .directed_edges = 2 * static_cast<double>(data.num_edges()),
          .arms = std::max(1.0, static_cast<double>(data.num_arms())),
          .largest_arm = of_arm.empty() ? 0 : std::ranges::max(of_arm),
          .folds = is_split ? 1.0 : plan.folds,
          .selection_folds = is_split ? 1.0 : plan.selection_folds,
          .threads = static_cast<double>(context.num_threads()) *
                     static_cast<double>(context.comm().size())};
}

double logistic_seconds(const FitSize& size, double entries) {
  const double per_entry = std::min(kPerLogisticEntry, kPerHessianEntry * size.columns);
  return per_entry * entries * size.folds * size.selection_folds / size.threads;
}

double logistic_seconds(const FitSize& size) {
  return logistic_seconds(size, size.entries + size.nodes);
}

double regression_seconds(const FitSize& size, bool chooses_penalty) {
  const double side = std::min(size.columns, size.nodes / 2);
  const double products = size.entries * std::min(side, size.entries / std::max(1.0, size.nodes)) +
                          std::min(side, static_cast<double>(kLargestDirectFit)) * side * side / 3;
  double seconds = kPerProduct * products + kPerEntryRead * (size.entries + size.nodes);
  if (chooses_penalty) {
    seconds += kPerRidgeEntry * (size.entries + size.nodes) * size.selection_folds;
  }
  return size.folds * seconds / size.threads;
}

double cohesion_seconds(const FitSize& size) {
  const double fits = size.arms * size.folds * (size.selection_folds + 1);
  return regression_seconds(size, /*chooses_penalty=*/true) +
         kPerCohesionEntry * fits * (size.entries / size.arms + size.directed_edges + size.nodes) /
             size.threads;
}

double spectral_seconds(const FitSize& size) {
  if (size.directed_edges == 0) {
    return regression_seconds(size, /*chooses_penalty=*/true) + logistic_seconds(size);
  }
  FitSize embedded = size;
  embedded.columns += static_cast<double>(kMostEmbeddingColumns);
  embedded.entries += static_cast<double>(kMostEmbeddingColumns) * size.nodes;
  return kPerEmbeddedEdge * (size.directed_edges + size.nodes) / size.threads +
         regression_seconds(embedded, /*chooses_penalty=*/true) + logistic_seconds(embedded);
}

}  // namespace cone
