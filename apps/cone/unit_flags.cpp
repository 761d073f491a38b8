#include "unit_flags.hpp"

#include <iostream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cone/error.hpp"
#include "cone/file.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

#include "flags.hpp"

namespace cone::app {

void UnitFlags::bind(CLI::App& command, const std::string& what) {
  command.add_option("--out", out, fmt::format("Folder to write; {} in it", what))
      ->required()
      ->check(file_name);
  command.add_flag("--retry-failed", retry_failed, "Retry fits that failed before");
  command
      .add_option("--shard", shard,
                  "Compute only this part of the fits, such as 2/8; other processes that share the "
                  "folder compute the others")
      ->capture_default_str();
}

UnitWork UnitFlags::work() const {
  const Shard part = parse_shard(shard);
  return {.store = UnitStore(out), .retry_failed = retry_failed, .shard = part};
}

void remove_old_conclusion(const std::filesystem::path& file, std::string_view schema,
                           const char* member) {
  if (path_kind(file) != PathKind::kFile) return;
  try {
    const auto json = parse_json(MappedFile(file).bytes(), "", "");
    if (!json.is_object() ||
        json.value("schema", nlohmann::ordered_json()) != std::string(schema) ||
        !json.contains(member)) {
      return;
    }
  } catch (const Error&) {
    return;
  }
  std::error_code failure;
  std::filesystem::remove(file, failure);
  if (failure) fail_writing(file, failure.message());
  std::cerr << fmt::format("removed {}: it belonged to another run\n", printable(file.string()));
}

void print_unit_remarks(const UnitsReport& report) {
  for (const std::string& remark : report.remarks) std::cerr << "cone: " << remark << '\n';
  if (report.num_reused > 0) {
    std::cerr << fmt::format("{} of {} fits were reused\n", grouped(report.num_reused),
                             grouped(report.records.size()));
  }
  if (report.num_failed > 0) {
    std::cerr << fmt::format("{} of {} fits failed; --retry-failed tries them again\n",
                             grouped(report.num_failed), grouped(report.records.size()));
  }
}

}  // namespace cone::app
