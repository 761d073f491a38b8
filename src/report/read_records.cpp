#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/report.hpp"

#include "report/embedded_record.hpp"

namespace cone {

std::vector<ReportRecord> read_report_records(std::string_view bytes, const std::string& file) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
  const std::string advice = "give a file written by --json or --report";
  if (bytes.size() > kMostBytes) {
    throw Error(ErrorCode::kData, {{.file = file}, "is larger than 64 MiB", advice});
  }
  if (!report::is_page(bytes)) {
    return {{.json = parse_json(bytes, file, advice), .source = file}};
  }
  nlohmann::ordered_json inside =
      parse_json(report::unpack_records(bytes, file), file, advice + ", unchanged");
  if (!inside.is_array() || inside.empty()) {
    throw Error(ErrorCode::kData, {{.file = file}, "has no list of records inside", advice});
  }
  std::vector<ReportRecord> records;
  for (nlohmann::ordered_json& json : inside) {
    records.push_back({.json = std::move(json), .source = file});
  }
  return records;
}

}  // namespace cone
