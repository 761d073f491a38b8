#include <ostream>

#include "base/file.hpp"
#include "data/csv_writer.hpp"
#include "results/policy_output.hpp"

namespace cone {

void write_policy(const Context& context, const std::filesystem::path& path, const Dataset& data,
                  std::string_view name, std::span<const Arm> arms) {
  write_atomically(path, [&](std::ostream& out) {
    CsvWriter lines(out);
    lines.field("id").field(name).end_line();
    constexpr std::size_t kLinesPerReport = 4096;
    for (std::size_t i = 0; i < data.num_nodes(); ++i) {
      if (i % kLinesPerReport == 0) context.report("writing the policy", i, data.num_nodes());
      lines.field(data.ids[static_cast<NodeIndex>(i)]).field(data.arms[arms[i]]).end_line();
    }
  });
}

}  // namespace cone
