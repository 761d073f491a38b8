#pragma once

#include <cstdint>

#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"

namespace cone {

/// What fits cost on this data, roughly: operations are counted, and their rates were measured once
/// on one core of a server of 2022. Right within a factor of three or so, which is what an order
/// from cheap to dear, a progress bar and a word before a long run need. Networks are taken to
/// train for all their epochs; most stop earlier.
class Workload {
 public:
  Workload(const Dataset& data, const EvaluateOptions& options, int num_threads);

  double propensity_seconds() const;
  double regression_seconds(bool chooses_penalty) const;
  double network_seconds() const;
  double kernel_seconds() const;
  double network_ridge_seconds(bool is_fitted) const;
  double cone_seconds(bool is_fitted) const;

 private:
  double logistic_seconds(double entries) const;

  const EvaluateOptions& options_;
  double nodes_;
  double entries_;
  double columns_;
  double directed_edges_;
  double folds_;
  double threads_;
};

/// What one epoch of cone's networks handles, in entries of the features: entries, directed edges,
/// and the layers that every node goes through, which are worth about this many entries each.
inline constexpr std::uint64_t kEntriesPerNode = 65;
std::uint64_t cone_epoch_entries(const Dataset& data);

}  // namespace cone
