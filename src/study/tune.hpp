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
#include "cone/settings.hpp"

#include "options/option_grid.hpp"
#include "study/run_units.hpp"

namespace cone {

struct TuneOptions {
  PlanOptions plan;
  int tune_folds = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("tune_folds", self.tune_folds,
            "Fit every combination on this many folds of the cross-fitting", between(1, 1000));
    PlanOptions::visit(self.plan, visitor);
  }
  void check(std::vector<Fault>& faults) const;
};

/// The default grid: the options and values that are tried where the user names none.
std::vector<GridAxis> default_tuning_grid();

/// One point of the grid with what it reached on the validation nodes, averaged over the folds.
struct TunedPoint {
  ConeOptions options;
  double score = 0;  ///< outcome_error + propensity_loss, the smaller the better
  double outcome_error = 0;
  double propensity_loss = 0;
  std::string failure;  ///< why there is no score, otherwise empty
};

struct Tuning {
  std::vector<TunedPoint> ranked;  ///< best first; those that failed last
  UnitsReport units;
  std::uint64_t seed = 0;
  std::string data_checksum;
  TuneOptions options;
};

/// Fits every point of the grid on the first folds of the plan and ranks them by what the
/// estimators rest on: the outcome networks' squared error (in units of the outcomes' variance) and
/// the propensity model's cross-entropy, both on nodes they did not learn from and that belong to
/// the fold's own fitting part. The nodes a fold scores have no part in it, and nothing here can
/// see the truth.
///
/// A unit of the store is one point on one fold, with the same seed for all: they share the folds
/// and the initial weights as far as their sizes agree. A point of which a fold diverged has
/// failed. Equal scores keep the order of the grid.
///
/// Throws Error(kUsage) on bad options, Error(kData) where the data has no log or every point
/// failed, and as run_units does.
Tuning tune(const Context& context, const Dataset& data, std::span<const ConeOptions> grid,
            const TuneOptions& options, const UnitWork& work);

/// The ranked points as a table that shows the options in which they differ; failures below.
std::string tuning_text(const Tuning& tuning);

/// The best point as a file of options (options/option_file.hpp).
nlohmann::ordered_json best_options_json(const Tuning& tuning);

}  // namespace cone
