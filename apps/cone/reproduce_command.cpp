#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "cone/base/error.hpp"
#include "cone/base/file.hpp"
#include "cone/experiment/table1.hpp"

#include "commands.hpp"
#include "flags.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kFooter =
    R"(Needs BlogCatalog.mat and Flickr.mat in the folder that --data names (by default the
environment's CONE_DATA_DIR). Writes the table as text, Markdown and CSV, and prints it.

Example:
  cone reproduce table1 --data DIR --out results)";

struct ReproduceFlags {
  std::string what;
  std::string data;
  std::string out;
  RunFlags run;
  Table1Options table1;
};

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

int run_reproduce(const ReproduceFlags& flags) {
  validate(flags.table1);
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet);
  const Context context(flags.run.seed, flags.run.threads, &progress);
  const auto rows = reproduce_table1(context, flags.data, flags.table1);
  progress.clear();
  const std::filesystem::path folder(flags.out);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  write_text(folder / "table1.txt", table1_text(rows));
  write_text(folder / "table1.md", table1_markdown(rows));
  write_text(folder / "table1.csv", table1_csv(rows));
  std::cout << table1_text(rows);
  return kSuccess;
}

}  // namespace

void add_reproduce_command(CLI::App& root, Run& run) {
  auto flags = std::make_shared<ReproduceFlags>();
  CLI::App* command =
      root.add_subcommand("reproduce", "Reproduce a table of the paper beside its printed figures");
  command->footer(kFooter);
  command->add_option("WHAT", flags->what, "table1")->required()->check(CLI::IsMember({"table1"}));
  command->add_option("--data", flags->data, "Folder with the two networks")
      ->envname("CONE_DATA_DIR")
      ->required();
  command->add_option("--out", flags->out, "Folder to write")->required();
  flags->run.bind(*command);
  bind_flags(*command, flags->table1, "Experiment");
  command->callback([flags, &run] { run = [flags] { return run_reproduce(*flags); }; });
}

}  // namespace cone::app
