#include <ostream>

#include <fmt/format.h>

#include "cone/file.hpp"
#include "cone/output.hpp"
#include "cone/policy.hpp"

#include "data/policy_columns.hpp"

namespace cone {

void write_policy(const Context& context, std::ostream& out, const Dataset& data,
                  std::string_view name, std::span<const Arm> arms, bool out_of_fold,
                  CsvCells cells) {
  CsvWriter lines(out, cells);
  lines.field("id").field(name);
  lines.field(fmt::format("{}{}{}", load::kLearntFrom, data.log_checksum(),
                          out_of_fold ? kOutOfFoldMark : ""));
  lines.end_line();
  constexpr std::size_t kLinesPerReport = 4096;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    if (i % kLinesPerReport == 0) context.report("writing the policy", i, data.num_nodes());
    lines.field(data.ids[static_cast<NodeIndex>(i)]).field(data.arms[arms[i]]).field("");
    lines.end_line();
  }
}

}  // namespace cone
