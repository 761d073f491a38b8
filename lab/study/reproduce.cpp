#include "study/reproduce.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

#include "study/ablation.hpp"
#include "study/effects.hpp"
#include "study/figure2.hpp"
#include "study/table1.hpp"
#include "study/table2.hpp"
#include "study/value_study.hpp"

namespace cone {
namespace {

constexpr int kFigureRuns = 1;

/// The arguments of every study.
struct StudyRequest {
  const Context& context;
  const std::string& data;
  const std::filesystem::path& out;
  const ReproduceOptions& options;

  std::vector<StudyNetwork> networks() const { return load_study_networks(context, data); }
  std::vector<StudyNetwork> generated() const {
    return generate_study_networks(context, options.worlds);
  }
  int simulations() const { return options.study.simulations; }
  UnitWork work() const {
    return {.store = UnitStore(out),
            .retry_failed = options.retry_failed,
            .shard = parse_shard(options.shard)};
  }
};

/// A table in all output formats.
struct StudyTables {
  StudyOutcome outcome;
  std::string markdown, csv;
  std::string extra = {};  ///< content of a file specific to this study
};

/// The parts that may differ from run to run; works for both kinds of result.
template <class Result>
StudyOutcome outcome_of(const Result& run, const std::string& text,
                        const nlohmann::ordered_json& json, const std::string& timing) {
  return {.text = text,
          .json = dump_json(json) + '\n',
          .timing = timing,
          .num_units = run.num_units,
          .num_reused = run.num_reused,
          .failures = run.failures,
          .remarks = run.remarks};
}

StudyTables do_table1(const StudyRequest& request) {
  const StudyOptions& study = request.options.study;
  const auto rows =
      reproduce_table1(request.context, request.networks(),
                       {.simulations = study.simulations, .normalisation = study.normalisation});
  return {{.text = table1_text(rows), .has_units = false}, table1_markdown(rows), table1_csv(rows)};
}

StudyTables do_table2(const StudyRequest& request) {
  const Table2 table = reproduce_table2(request.context, request.networks(), request.options.study,
                                        request.options.rows.estimators, request.work());
  const std::string timing = table2_timing_text(table);
  return {outcome_of(table, table2_text(table), table2_json(table), timing), table2_markdown(table),
          table2_csv(table), timing};
}

StudyTables do_figure2(const StudyRequest& request) {
  const Figure2 figure =
      reproduce_figure2(request.context, request.networks(), request.options.study, request.work());
  return {outcome_of(figure, figure2_text(figure), figure2_json(figure),
                     sentence("{:.1f} seconds of one core", figure.seconds)),
          figure2_markdown(figure), figure2_csv(figure), figure2_svg(figure)};
}

StudyTables do_value(const StudyRequest& request) {
  const ValueTable table =
      reproduce_value(request.context, request.networks(), request.simulations(),
                      request.options.rows.estimators, request.work());
  return {outcome_of(table.run, value_text(table), value_json(table), timing_text(table.run)),
          value_markdown(table), value_csv(table)};
}

StudyTables do_worlds(const StudyRequest& request) {
  const ValueTable table =
      reproduce_worlds(request.context, request.networks(), request.generated(),
                       request.simulations(), request.options.rows.estimators, request.work());
  return {outcome_of(table.run, worlds_text(table), worlds_json(table), timing_text(table.run)),
          worlds_markdown(table), value_csv(table)};
}

StudyTables do_effects(const StudyRequest& request) {
  const EffectsTable table =
      reproduce_effects(request.context, request.networks(), request.simulations(),
                        request.options.rows.estimators, request.work());
  return {outcome_of(table.run, effects_text(table), effects_json(table), timing_text(table.run)),
          effects_markdown(table), effects_csv(table)};
}

StudyTables do_ablation(const StudyRequest& request) {
  const ValueTable table =
      reproduce_ablation(request.context, request.networks(), request.generated(),
                         request.simulations(), request.work());
  return {outcome_of(table.run, value_text(table), value_json(table, "ablation"),
                     timing_text(table.run)),
          value_markdown(table), value_csv(table)};
}

StudyTables do_coverage(const StudyRequest& request) {
  const CoverageOptions& options = request.options.coverage;
  const CoverageTable table =
      reproduce_coverage(request.context, generate_coverage_networks(request.context, options),
                         request.simulations(), options, request.work());
  return {outcome_of(table.run, coverage_text(table), coverage_json(table), timing_text(table.run)),
          coverage_markdown(table), coverage_csv(table)};
}

struct StudyKind {
  const char* name;
  StudyTables (*run)(const StudyRequest&);
  const char* extra_file;                 ///< specific to the study; or nullptr
  std::vector<std::string_view> options;  ///< among those that not every study uses
};

const std::vector<StudyKind>& study_kinds() {
  static const std::vector<StudyKind> kinds = {
      {"table1", do_table1, nullptr, {"normalisation"}},
      {"table2",
       do_table2,
       "table2_timing.txt",
       {"estimators", "normalisation", "runs", "tune", "retry_failed", "shard"}},
      {"figure2",
       do_figure2,
       "figure2.svg",
       {"normalisation", "runs", "tune", "retry_failed", "shard"}},
      {"values", do_value, nullptr, {"estimators", "retry_failed", "shard"}},
      {"worlds", do_worlds, nullptr, {"estimators", "nodes", "retry_failed", "shard"}},
      {"effects", do_effects, nullptr, {"estimators", "retry_failed", "shard"}},
      {"ablation", do_ablation, nullptr, {"nodes", "retry_failed", "shard"}},
      {"coverage",
       do_coverage,
       nullptr,
       {"coverage_nodes", "unconfounded_simulations", "retry_failed", "shard"}}};
  return kinds;
}

const StudyKind& find_study(const std::string& name) {
  const auto found = std::ranges::find_if(
      study_kinds(), [&](const StudyKind& study) { return study.name == name; });
  if (found != study_kinds().end()) return *found;
  const std::string nearest = closest_name(name, study_names());
  throw Error(ErrorCode::kUsage,
              {{.item = printable(name)},
               "is not a study",
               nearest.empty() ? fmt::format("choose from {}", fmt::join(study_names(), ", "))
                               : fmt::format("did you mean {}?", nearest)});
}

/// The output files of a study, opened before anything is computed.
class StudyFiles {
 public:
  /// Throws Error(kUsage) where one cannot be written, and Error(kIo) on failures of the system.
  StudyFiles(const std::filesystem::path& folder, const StudyKind& study) : folder_(folder) {
    for (const char* suffix : {".txt", ".md", ".csv", ".json"})
      open(study.name + std::string(suffix));
    if (study.extra_file != nullptr) open(study.extra_file);
  }

  /// Appends to `faults` on failure.
  void write(const std::string& name, const std::string& text, std::vector<Fault>& faults) {
    try {
      files_.at(name).write([&](std::ostream& out) { out << text; });
    } catch (const Error& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }

 private:
  void open(const std::string& name) {
    const int error = files_.try_emplace(name, folder_ / name).first->second.error();
    if (error == 0) return;
    throw Error(is_fault_of_path(error) ? ErrorCode::kUsage : ErrorCode::kIo,
                {{.file = (folder_ / name).string()},
                 "cannot be written: " + std::generic_category().message(error),
                 "name another folder"});
  }

  std::filesystem::path folder_;
  std::map<std::string, PendingFile> files_;
};

}  // namespace

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const StudyKind& study : study_kinds()) names.emplace_back(study.name);
  return names;
}

void prepare_study(const std::string& name, const IsGiven& is_given, ReproduceOptions& options) {
  const StudyKind& study = find_study(name);
  IdleOptions idle(is_given);
  for (const std::string_view option :
       {"normalisation", "runs", "tune", "retry_failed", "shard", "estimators", "nodes",
        "coverage_nodes", "unconfounded_simulations"}) {
    if (std::ranges::find(study.options, option) != study.options.end()) continue;
    idle.refuse(option, fmt::format("has no effect with {}", study.name), "leave it out");
  }
  idle.throw_if_any();
  if (name == "figure2" && !is_given("runs")) options.study.runs = kFigureRuns;
}

StudyOutcome reproduce_study(const Context& context, const std::string& name,
                             const std::string& data, const std::filesystem::path& out,
                             const ReproduceOptions& options) {
  validate(options);
  parse_shard(options.shard);  // before anything is written
  const StudyKind& study = find_study(name);
  std::error_code failure;
  std::filesystem::create_directories(out, failure);
  if (path_kind(out) != PathKind::kFolder) {
    throw Error(failure && !is_fault_of_path(failure.value()) ? ErrorCode::kIo : ErrorCode::kUsage,
                {{.item = "--out"},
                 fmt::format("the folder {} cannot be created", printable(out.string())),
                 "name another one"});
  }
  StudyFiles files(out, study);
  StudyTables tables;
  try {
    tables = study.run({context, data, out, options});
  } catch (const OtherShardsAreBusy& busy) {
    return {.text = std::string(busy.what()) + '\n', .has_units = false};
  }
  StudyOutcome outcome = std::move(tables.outcome);
  const auto write = [&](const std::string& file, const std::string& text) {
    files.write(file, text, outcome.unwritten);
  };
  if (!outcome.json.empty()) write(name + ".json", outcome.json);
  write(name + ".txt", outcome.text);
  write(name + ".md", tables.markdown);
  write(name + ".csv", tables.csv);
  if (study.extra_file != nullptr) write(study.extra_file, tables.extra);
  return outcome;
}

}  // namespace cone
