#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "options/given_options.hpp"
#include "study/coverage.hpp"
#include "study/study.hpp"
#include "study/worlds.hpp"

namespace cone {

/// Options of all studies; none uses all of them.
struct ReproduceOptions {
  StudyOptions study;
  StudyRows rows;
  WorldsOptions worlds;
  CoverageOptions coverage;
  bool retry_failed = false;
  std::string shard = "1/1";

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("retry_failed", self.retry_failed, "Compute failed units again");
    visitor("shard", self.shard,
            "Compute only this part of the units, 2/8 say, and let other processes that share the "
            "folder compute the others");
    StudyOptions::visit(self.study, visitor);
    StudyRows::visit(self.rows, visitor);
    WorldsOptions::visit(self.worlds, visitor);
    CoverageOptions::visit(self.coverage, visitor);
  }
};

/// What a study leaves behind, beside its files.
struct StudyOutcome {
  std::string text;    ///< the table, for a terminal; or that other shards are not done
  std::string json;    ///< its record; empty where there is none
  std::string timing;  ///< for units; empty where nothing was timed
  bool has_units = true;
  std::size_t num_units = 0;
  std::size_t num_reused = 0;  ///< from earlier runs
  std::vector<std::string> failures;
  std::vector<std::string> remarks;
  std::vector<Fault> unwritten;  ///< files that could not be written; all others are there
};

/// table1, table2, ...
std::vector<std::string> study_names();

/// Names every option that was given and that the study does not use, and sets what only this study
/// has another default for. Throws Error(kUsage), also where there is no such study.
void prepare_study(const std::string& name, const IsGiven& is_given, ReproduceOptions& options);

/// Does a study on the networks in the folder `data` (or "demo") and writes it to `out`, which is
/// made where it is not there: NAME.txt, .md, .csv and .json, and its units, from which a study
/// that was stopped goes on. Where other shards are not done, it says so and writes no table. What
/// cannot be written is refused before anything is computed: Error(kUsage).
StudyOutcome reproduce_study(const Context& context, const std::string& name,
                             const std::string& data, const std::filesystem::path& out,
                             const ReproduceOptions& options);

}  // namespace cone
