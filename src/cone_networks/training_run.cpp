#include "cone_networks/training_run.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "base/random.hpp"
#include "nuisance/encoder_input.hpp"

namespace cone {
namespace {

/// Losses beyond this many times those of predicting means are no way to a minimum.
constexpr double kDivergedFactor = 1000;

std::vector<std::uint64_t> hashed_ids(const IdTable& ids) {
  std::vector<std::uint64_t> hashes(ids.size());
  for (NodeIndex i = 0; i < hashes.size(); ++i) hashes[i] = hash64(ids[i]);
  return hashes;
}

}  // namespace

LoggedNodes<float> logged_nodes(const Dataset& data, std::span<const NodeIndex> nodes,
                                const OutcomeUnits& units) {
  LoggedNodes<float> logged;
  logged.nodes.assign(nodes.begin(), nodes.end());
  for (const NodeIndex i : nodes) {
    logged.outcome.push_back(static_cast<float>((data.outcome[i] - units.mean) / units.scale));
    logged.treatment.push_back(data.treatment[i]);
  }
  return logged;
}

TrainingRun::TrainingRun(const Context& context, const Dataset& data, const ConeOptions& options,
                         LoggedNodes<float> train, LoggedNodes<float> validation)
    : context_(context),
      data_(data),
      options_(options),
      train_(std::move(train)),
      validation_(std::move(validation)),
      row_keys_(hashed_ids(data.ids)),
      input_(encoder_input(data.features)),
      features_(input_, input_.values()),
      model_(data.features.matrix.cols(), options),
      optimiser_({.learning_rate = options.learning_rate,
                  .weight_decay = options.weight_decay,
                  .clip_gradient = options.clip_gradient},
                 model_.parameters().size()),
      best_score_(std::numeric_limits<double>::infinity()) {
  model_.initialise(context.seed());
  const std::span<const float> initial = std::as_const(model_).parameters().values();
  best_weights_.assign(initial.begin(), initial.end());
}

void TrainingRun::run() {
  context_.report("training representations", 0, options_.epochs);
  for (std::uint64_t number = 0; epoch(number) == Verdict::kGoOn; ++number) {
    context_.report("training representations", number + 1, options_.epochs);
  }
  std::copy(best_weights_.begin(), best_weights_.end(), model_.parameters().values().begin());
  features_.restore();
}

/// Judges the weights after `number` steps and takes the next one.
TrainingRun::Verdict TrainingRun::epoch(std::uint64_t number) {
  const bool with_dropout = options_.dropout > 0;
  const nn::Dropout dropout = {options_.dropout, context_.seed(), number, row_keys_};
  EpochLosses losses{.validation_outcome = kNaN, .validation_treatment = kNaN};
  if (with_dropout) {
    features_.restore();
    model_.encode(context_, data_.graph, features_, nullptr);
    add_validation_losses(losses);
    features_.drop(context_, dropout);
  }
  const nn::Dropout* active = with_dropout ? &dropout : nullptr;
  model_.encode(context_, data_.graph, features_, active);
  if (!with_dropout) add_validation_losses(losses);
  const auto permutation = Rng(context_.seed(), Stream::kPermutation, number)
                               .permutation(static_cast<std::uint32_t>(train_.nodes.size()));
  const ConeLosses trained = model_.objective(context_, train_, permutation);
  losses.outcome = trained.outcome;
  losses.treatment = trained.treatment;
  losses.mutual_information = trained.mutual_information;
  history_.push_back(losses);

  if (is_diverged(losses)) {
    status_ = TrainingStatus::kDiverged;
    return Verdict::kStop;
  }
  if (validation_.nodes.empty() || score(losses) < best_score_) {
    best_score_ = score(losses);
    best_epoch_ = number;
    const std::span<const float> weights = std::as_const(model_).parameters().values();
    std::copy(weights.begin(), weights.end(), best_weights_.begin());
  } else if (number - best_epoch_ >= options_.patience) {
    status_ = TrainingStatus::kStoppedEarly;
    return Verdict::kStop;
  }
  if (number == options_.epochs) return Verdict::kStop;
  model_.backward(context_, data_.graph, features_, active);
  optimiser_.step(context_, model_.parameters());
  return Verdict::kGoOn;
}

void TrainingRun::add_validation_losses(EpochLosses& losses) {
  if (validation_.nodes.empty()) return;
  const ConeLosses held_out = model_.supervised_losses(context_, validation_);
  losses.validation_outcome = held_out.outcome;
  losses.validation_treatment = held_out.treatment;
}

double TrainingRun::score(const EpochLosses& losses) const {
  return losses.validation_outcome + options_.gamma * losses.validation_treatment;
}

bool TrainingRun::is_diverged(const EpochLosses& losses) const {
  const double bound = kDivergedFactor * (1 + options_.gamma * std::numbers::ln2);
  const double trained = losses.outcome + options_.gamma * losses.treatment;
  const bool has_bad_validation = !validation_.nodes.empty() && !std::isfinite(score(losses));
  return !std::isfinite(losses.mutual_information) || !(trained <= bound) || has_bad_validation;
}

}  // namespace cone
