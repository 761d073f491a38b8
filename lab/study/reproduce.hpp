#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/options.hpp"

#include "study/coverage.hpp"
#include "study/study.hpp"
#include "study/study_report.hpp"
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
    visitor("retry_failed", self.retry_failed, "Recompute failed jobs");
    visitor("shard", self.shard,
            "Compute only this part of the jobs, such as 2/8; other processes that share the "
            "folder compute the rest");
    StudyOptions::visit(self.study, visitor);
    StudyRows::visit(self.rows, visitor);
    WorldsOptions::visit(self.worlds, visitor);
    CoverageOptions::visit(self.coverage, visitor);
  }
};

/// The result of a study, beside its files.
struct StudyOutcome {
  std::string text;    ///< the tables for a terminal, or a note that other shards are not done
  std::string json;    ///< its record; empty without one
  std::string timing;  ///< of the units; empty without timings
  StudyRun run;
  std::vector<Fault> unwritten;  ///< files that could not be written; all others were
};

/// table1, table2, ...
std::vector<std::string> study_names();

/// Refuses options that the study does not use, and sets its own defaults. Throws Error(kUsage),
/// also for unknown studies.
void prepare_study(const std::string& name, const IsGiven& is_given, ReproduceOptions& options);

/// Runs a study on the networks in the folder `data` (or "demo") and writes it to `out`, which is
/// created if missing: NAME.txt, .md, .csv and .json, and its units, from which an interrupted
/// study resumes. Where other shards are not done, it says so and writes no table. Throws
/// Error(kUsage) before anything is computed where `out` cannot be written.
StudyOutcome reproduce_study(const Context& context, const std::string& name,
                             const std::string& data, const std::filesystem::path& out,
                             const ReproduceOptions& options);

}  // namespace cone
