#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/report.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "outputs.hpp"

namespace cone::app {
namespace {

constexpr const char* kReportFooter =
    R"(RUN is a record that a command wrote by --json, or a page that was made of records: those are in it.
The page needs no network and no script, has no ids of units, and says how to run it again.

Give one of
  an evaluation (cone evaluate --json), and beside it what you have of
    a sensitivity analysis (cone sensitivity --json) and a learnt rule (cone learn --json)
  two evaluations, the older first: what changed comes first
  studies (cone reproduce --out DIR leaves DIR/table2.json and so on)

Examples:
  cone evaluate shop/ --policy p.csv --report shop.html      a report without a record
  cone report run.json --out run.html
  cone report run.json sensitivity.json learnt.json --out all.html
  cone report last_week.json today.json --out changed.html
  cone report old.html --out new.html                        an old page, by this version)";

struct ReportFlags {
  std::vector<std::string> records;
  std::string out;
  bool quiet = false;
};

int run_report(const ReportFlags& flags) {
  Outputs outputs({{"--out", flags.out}}, flags.records);
  std::vector<ReportRecord> records;
  for (const std::string& name : flags.records) {
    const MappedFile file(name);
    for (ReportRecord& record : read_report_records(file.bytes(), name)) {
      records.push_back(std::move(record));
    }
  }
  const std::string page = report_html(records);
  outputs.write(flags.out, [&](std::ostream& out) { out << page; });
  outputs.throw_failures();
  if (!flags.quiet) {
    std::cerr << fmt::format("wrote {}: {} kB\n", printable(flags.out),
                             grouped((page.size() + 999) / 1000));
  }
  return kSuccess;
}

}  // namespace

void add_report_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* command =
      root.add_subcommand("report", "Make a page with charts of the records of runs");
  command->footer(kReportFooter);
  command->add_option("RUN", flags->records, "Records (JSON), or pages that hold them")
      ->required()
      ->check(file_name);
  command->add_option("--out", flags->out, "The page to write (HTML)")
      ->required()
      ->check(page_name);
  command->add_flag("--quiet,-q", flags->quiet, "No remarks");
  command->callback([flags, &chosen] { chosen = [flags] { return run_report(*flags); }; });
}

}  // namespace cone::app
