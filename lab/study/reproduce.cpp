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
  const std::vector<std::string>& rows() const { return options.rows.estimators; }
  UnitWork work() const {
    return {.store = UnitStore(out),
            .retry_failed = options.retry_failed,
            .shard = parse_shard(options.shard)};
  }
};

struct StudyKind {
  const char* name;
  StudyReport (*run)(const StudyRequest&);
  std::vector<std::string> extra_files;   ///< specific to the study
  std::vector<std::string_view> options;  ///< among those that not every study uses
};

const std::vector<StudyKind>& study_kinds() {
  using Request = const StudyRequest&;
  static const std::vector<StudyKind> kinds = {
      {"table1",
       [](Request r) {
         const StudyOptions& study = r.options.study;
         return report_table1(reproduce_table1(
             r.context, r.networks(),
             {.simulations = study.simulations, .normalisation = study.normalisation}));
       },
       {},
       {"normalisation"}},
      {"table2",
       [](Request r) {
         return report_table2(
             reproduce_table2(r.context, r.networks(), r.options.study, r.rows(), r.work()));
       },
       {"table2_timing.txt"},
       {"estimators", "normalisation", "runs", "tune", "retry_failed", "shard"}},
      {"figure2",
       [](Request r) {
         return report_figure2(
             reproduce_figure2(r.context, r.networks(), r.options.study, r.work()));
       },
       {"figure2.svg"},
       {"normalisation", "runs", "tune", "retry_failed", "shard"}},
      {"values",
       [](Request r) {
         return report_values(
             reproduce_value(r.context, r.networks(), r.simulations(), r.rows(), r.work()));
       },
       {},
       {"estimators", "retry_failed", "shard"}},
      {"worlds",
       [](Request r) {
         return report_worlds(reproduce_worlds(r.context, r.networks(), r.generated(),
                                               r.simulations(), r.rows(), r.work()));
       },
       {},
       {"estimators", "nodes", "retry_failed", "shard"}},
      {"effects",
       [](Request r) {
         return report_effects(
             reproduce_effects(r.context, r.networks(), r.simulations(), r.rows(), r.work()));
       },
       {},
       {"estimators", "retry_failed", "shard"}},
      {"ablation",
       [](Request r) {
         return report_values(
             reproduce_ablation(r.context, r.networks(), r.generated(), r.simulations(), r.work()),
             "ablation");
       },
       {},
       {"nodes", "retry_failed", "shard"}},
      {"coverage",
       [](Request r) {
         const CoverageOptions& options = r.options.coverage;
         return report_coverage(reproduce_coverage(r.context,
                                                   generate_coverage_networks(r.context, options),
                                                   r.simulations(), options, r.work()));
       },
       {},
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
    for (const std::string& file : study.extra_files) open(file);
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
  StudyReport report{.table = StudyTable({})};
  try {
    report = study.run({context, data, out, options});
  } catch (const OtherShardsAreBusy& busy) {
    return {.text = std::string(busy.what()) + '\n'};
  }
  StudyOutcome outcome{.text = report.text(),
                       .json = report.json.is_null() ? "" : dump_json(report.json) + '\n',
                       .timing = timing_text(report.run),
                       .run = std::move(report.run)};
  const auto write = [&](const std::string& file, const std::string& text) {
    files.write(file, text, outcome.unwritten);
  };
  if (!outcome.json.empty()) write(name + ".json", outcome.json);
  write(name + ".txt", outcome.text);
  write(name + ".md", report.markdown());
  write(name + ".csv", report.table.csv());
  for (const std::string& file : study.extra_files) {
    write(file, file.ends_with(".svg") ? report.picture : outcome.timing);
  }
  return outcome;
}

}  // namespace cone
