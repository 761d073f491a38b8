#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "options/option_grid.hpp"
#include "study/run_units.hpp"

namespace cone {

struct TuneOptions {
  PlanOptions plan;
  int tune_folds = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("tune_folds", self.tune_folds, "Number of folds to fit every combination on",
            between(1, 1000));
    PlanOptions::visit(self.plan, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// The grid used where the user gives none.
std::vector<GridAxis> default_tuning_grid();

/// One point of the grid with its losses on the validation nodes, averaged over the folds.
struct TunedPoint {
  ConeOptions options;
  double score = 0;  ///< outcome_error + propensity_loss, the smaller the better
  double outcome_error = 0;
  double propensity_loss = 0;
  std::string failure;  ///< reason without a score, otherwise empty
};

struct Tuning {
  std::vector<TunedPoint> ranked;  ///< best first, failed ones last
  UnitsReport units;
  std::uint64_t seed = 0;
  std::string data_checksum;
  TuneOptions options;
};

/// Fits every point of the grid on the first folds of the plan and ranks them by the losses of the
/// nuisance models: the squared error of the outcome networks (in units of the outcomes' variance)
/// plus the cross-entropy of the propensity model, both on validation nodes within the fitting part
/// of the fold. The scored nodes of a fold are not used, and the truth is not accessible.
///
/// A unit of the store is one point on one fold. All have the same seed, hence the same folds and,
/// for equal sizes, the same initial weights. A point fails where a fold diverges. Equal scores
/// keep the order of the grid.
///
/// Throws Error(kUsage) on bad options, Error(kData) where the data has no treatments and outcomes
/// or every point failed, and as run_units does.
Tuning tune(const Context& context, const Dataset& data, std::span<const ConeOptions> grid,
            const TuneOptions& options, const UnitWork& work);

/// The ranked points as a table that shows the options in which they differ; failures below.
std::string tuning_text(const Tuning& tuning);

/// The best point as a file of options (options/option_file.hpp).
nlohmann::ordered_json best_options_json(const Tuning& tuning);

}  // namespace cone
