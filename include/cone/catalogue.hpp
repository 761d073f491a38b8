#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/learn.hpp"

/// \file
/// The learners and estimators that an evaluation can choose from, and how to add others.

// A program adds a learner of its own:
//
//   class NearestNeighbours : public cone::Learner { ... };
//
//   cone::EvaluateOptions options;
//   options.catalogue.add({.name = "knn",
//                          .version = "1: 10 neighbours",
//                          .provides = {.outcome = true},
//                          .make = [](const cone::LearnerRequest&) {
//                            return std::make_unique<NearestNeighbours>(10);
//                          }});
//   options.estimators = {"dr_ridge", "dm_knn", "dr_knn"};
//
// A catalogue is a value: two evaluations with different catalogues may run side by side, and the
// order of additions decides about nothing but the order of lists.

namespace cone {

struct ConeFit;          // cone's networks: for the built-in learner
struct EvaluateOptions;  // cone/evaluate.hpp
struct FittedModel;      // cone/model.hpp

/// Of a learner: what it can fit, or what an evaluation uses of that.
struct LearnerParts {
  bool outcome = false;     ///< Nuisances::outcome
  bool propensity = false;  ///< Nuisances::propensity
  bool balance = false;     ///< Nuisances::balancer
};

/// What a learner is made for.
struct LearnerRequest {
  const EvaluateOptions& options;
  LearnerParts parts;  ///< that the estimators use; the learner need not fit the others
  std::size_t num_policies = 1;
  const FittedModel* model = nullptr;  ///< that was fitted before; nullptr without
  ConeFit* networks = nullptr;         ///< receives cone's networks; nullptr where not requested
};

/// A learner of a catalogue.
struct LearnerEntry {
  /// Of lower-case letters, digits and underscores.
  std::string name;
  /// Of the code and its settings: part of the record and its run_id, so that results of two
  /// versions are never taken for one. Empty for built-in learners, which the library's version
  /// covers; required for others.
  std::string version;
  LearnerParts provides;
  /// Called once per fit, on the thread that evaluates.
  std::function<std::unique_ptr<Learner>(const LearnerRequest&)> make;
  /// Expected time, which orders the fits and sizes their shares of the progress bar, never
  /// results. Empty: counted as a ridge regression.
  std::function<double(const FitSize&, const LearnerRequest&)> expect_seconds = {};
  /// False for learners that fit data distributed over ranks (Dataset::distributed) by collective
  /// operations. Others are refused there.
  bool needs_one_process = true;
};

/// The built-in learners.
std::span<const LearnerEntry> builtin_learners();

/// The built-in learners and estimators, and those that were added. Copies share what was added.
class Catalogue {
 public:
  /// Adds a learner and estimators with it, which `EvaluateOptions::estimators` names:
  ///
  /// - of an outcome model dm_NAME (direct method) and dr_NAME (doubly robust, with its own
  ///   propensities or, without, those of the softmax regression on features);
  /// - of propensities ips_NAME, snips_NAME and, without an outcome model, dr_NAME with ridge
  ///   regression;
  /// - of balancing weights okb_NAME.
  ///
  /// Propensities that it returns without `unbounded` are bounded as those of built-in learners
  /// are. A direct method has an interval where OutcomeTable::variance is set, a doubly robust one
  /// always.
  ///
  /// Throws Error(kUsage) where a name exists already or the entry is incomplete. evaluate() throws
  /// Error(kUsage) that names the learner, and the fold where there is one, for tables of the wrong
  /// shape and for numbers that are not finite or no probabilities.
  void add(LearnerEntry learner);

  /// Adds an estimator that combines learners, added or built-in: for example "dr_knn_stumps",
  /// Method::kDoublyRobust, the outcome model of "knn" and the propensities of "stumps". Methods:
  /// those of the estimators above, and of ips_clipped, switch_dr, dr_shrinkage and network_dr.
  /// Throws Error(kUsage) where the name exists already, or a learner does not provide its part.
  void add_estimator(std::string name, Method method, LearnerId outcome, LearnerId weights,
                     std::string summary);

  /// In the order of tables: built-in ones first. Views into the catalogue.
  std::vector<EstimatorInfo> estimators() const;
  /// nullptr for an unknown name.
  const EstimatorInfo* find_estimator(std::string_view name) const;

  std::vector<const LearnerEntry*> learners() const;
  /// nullptr for LearnerId::kNone, and for an unknown one.
  const LearnerEntry* find_learner(LearnerId learner) const;
  /// Those that were added.
  std::span<const std::shared_ptr<const LearnerEntry>> added() const { return learners_; }
  bool is_added(LearnerId learner) const;

 private:
  struct AddedEstimator {
    std::string name;
    std::string summary;
    EstimatorInfo info;  ///< its views are of these names and of learners_
  };

  std::vector<std::shared_ptr<const LearnerEntry>> learners_;
  std::vector<std::shared_ptr<const AddedEstimator>> estimators_;
};

/// What `cone estimators` prints: a line per estimator, with its learners.
std::string estimators_text(const Catalogue& catalogue = {});

}  // namespace cone
