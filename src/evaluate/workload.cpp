#include "evaluate/workload.hpp"

namespace cone {
namespace {

// Seconds on one core.
constexpr double kPerHiddenEntry = 1e-10;    // per entry, hidden unit, fold and epoch
constexpr double kPerConeNumber = 1.2e-10;   // per entry, column of z, fold and epoch
constexpr double kPerKernelProduct = 4e-11;  // n³, the choice of λ included
constexpr double kPerDistance = 2e-10;       // per node and entry

}  // namespace

double network_seconds(const FitSize& size, const ConeOptions& options) {
  const double per_epoch = kPerHiddenEntry * (size.entries + size.nodes) * options.hidden;
  return size.folds * options.epochs * per_epoch / size.threads;
}

double kernel_seconds(const FitSize& size) {
  const double n = size.nodes;
  return (kPerKernelProduct * n * n * n + kPerDistance * n * size.entries) / size.threads;
}

double cone_seconds(const FitSize& size, const ConeOptions& options, bool is_fitted) {
  const double numbers = 2.0 * options.heads * options.head_size * options.layers;
  const double per_epoch = kPerConeNumber * numbers *
                           (size.entries + size.directed_edges + kEntriesPerNode * size.nodes);
  if (is_fitted) return size.folds * per_epoch / size.threads;
  const double validation_nodes = size.nodes / size.selection_folds;
  return size.folds * options.epochs * per_epoch / size.threads +
         logistic_seconds(size, validation_nodes * numbers);
}

std::uint64_t cone_epoch_entries(const Dataset& data) {
  return 2 * data.num_edges() + data.features.matrix.num_entries() +
         kEntriesPerNode * data.num_nodes();
}

}  // namespace cone
