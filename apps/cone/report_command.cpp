#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/file.hpp"
#include "cone/report.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "flags.hpp"
#include "outputs.hpp"

namespace cone::app {
namespace {

constexpr const char* kReportFooter =
    R"(RUN is a record that a command wrote by --json, or a report page, which contains its records.
The page is self-contained (no network access, no scripts), has no ids of nodes, and says how to
reproduce the run.

Give one of
  an evaluation (cone evaluate --json), optionally with
    a sensitivity analysis (cone sensitivity --json) and a learnt rule (cone learn --json)
  two evaluations, the older first: the page begins with what changed
  studies (cone reproduce --out DIR leaves DIR/table2.json and so on)

Examples:
  cone evaluate shop/ --policy p.csv --report shop.html      without a record
  cone report run.json --out run.html
  cone report run.json sensitivity.json learnt.json --out all.html
  cone report last_week.json today.json --out changed.html
  cone report old.html --out new.html                        update an old page)";

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
  CLI::App* command = root.add_subcommand("report", "Make an HTML report of recorded runs");
  command->footer(kReportFooter);
  command->add_option("RUN", flags->records, "Records (JSON) or report pages (HTML)")
      ->required()
      ->check(file_name);
  command->add_option("--out", flags->out, "HTML file to write")->required()->check(page_name);
  command->add_flag("--quiet,-q", flags->quiet, "Print no notes");
  command->callback([flags, &chosen] { chosen = [flags] { return run_report(*flags); }; });
}

}  // namespace cone::app
