#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cone_networks/cone_model.hpp"
#include "cone_networks/representation.hpp"
#include "exec/context.hpp"
#include "nn/adam.hpp"
#include "nn/outcome_units.hpp"

namespace cone {

/// The log of the nodes, outcomes in the given units.
LoggedNodes<float> logged_nodes(const Dataset& data, std::span<const NodeIndex> nodes,
                                const OutcomeUnits& units);

/// One run of the optimiser: keeps the history and the best weights.
class TrainingRun {
 public:
  TrainingRun(const Context& context, const Dataset& data, const ConeOptions& options,
              LoggedNodes<float> train, LoggedNodes<float> validation);

  /// Trains until the epochs, the patience or the observer end it, and leaves the best weights in
  /// the model.
  void run();

  TrainingStatus status() const { return status_; }
  std::size_t best_epoch() const { return best_epoch_; }
  const std::vector<EpochLosses>& history() const { return history_; }
  ConeModel<float>& model() { return model_; }
  FeatureOperand<float>& features() { return features_; }

 private:
  enum class Verdict { kGoOn, kStop };

  Verdict epoch(std::uint64_t number);
  void add_validation_losses(EpochLosses& losses);
  double score(const EpochLosses& losses) const;
  bool is_diverged(const EpochLosses& losses) const;

  const Context& context_;
  const Dataset& data_;
  ConeOptions options_;
  LoggedNodes<float> train_;
  LoggedNodes<float> validation_;
  std::vector<std::uint64_t> row_keys_;
  SparseMatrix input_;
  FeatureOperand<float> features_;  // refers to input_
  ConeModel<float> model_;
  nn::Adam<float> optimiser_;
  std::vector<EpochLosses> history_;
  std::vector<float> best_weights_;
  std::size_t best_epoch_ = 0;
  double best_score_;
  TrainingStatus status_ = TrainingStatus::kCompleted;
};

}  // namespace cone
