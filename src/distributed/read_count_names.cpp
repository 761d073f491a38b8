#include "data/validate.hpp"
#include "distributed/read_data.hpp"

namespace cone::distributed {

std::vector<std::string> gather_lines(const Communicator& comm, const std::string& own) {
  std::vector<std::string> out;
  for (const std::string& part : comm.allgather(own)) {
    for (std::size_t begin = 0; begin < part.size();) {
      const std::size_t end = part.find('\n', begin);
      out.push_back(part.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return out;
}

bool is_feature_name(CsvRecords& record, std::size_t column) {
  if (record[column].find('\n') == std::string_view::npos) return true;
  validation::add_fault(record.faults(), "line end in a name", [&]() -> Fault {
    return {record.place(column), "the name of the feature has a line end", "rename it"};
  });
  return false;
}

std::optional<std::vector<std::string>> read_count_names(const RankReader& reader) {
  const auto file = reader.open(reader.folder / "feature_names.csv");
  if (file == nullptr) return std::nullopt;
  const auto column = file->column("feature");
  if (!column) {
    if (reader.comm.is_root()) {
      validation::check_column(*file, "feature", "give one name per line", reader.faults);
    }
    return std::nullopt;
  }
  std::string own;
  for (const CsvChunk& chunk : file->chunks()) {
    CsvRecords record(*file, chunk);
    while (record.next()) {
      if (is_feature_name(record, *column)) own += std::string(record[*column]) + '\n';
    }
    reader.faults.merge(record.faults());
  }
  return gather_lines(reader.comm, own);
}

}  // namespace cone::distributed
