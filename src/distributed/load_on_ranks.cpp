#include "distributed/load_on_ranks.hpp"

#include <utility>

#include "distributed/read_data.hpp"
#include "distributed/sanity_checks.hpp"

namespace cone::distributed {

EvaluationInput load_on_ranks(const Context& context, const Communicator& comm,
                              const std::filesystem::path& folder, const LoadOptions& table,
                              std::span<const std::string> policies, Partition partition,
                              const Partitioner* partitioner, EngineReport& report) {
  ReadData read = read_on_ranks(context, comm, folder, table, policies, report.meter);
  report.partition = repartition(context, comm, partition, partitioner, read.global, read.rows);
  report.meter.finish("partition");
  EvaluationInput out = build_input(comm, std::move(read.rows), std::move(read.global));
  report.num_ghosts = out.data.observed.distributed->remote.size();
  drop_inconsistent_truth(out.data);
  refuse_leaks(context.shared_by(comm), out.data.observed, (folder / "nodes.csv").string());
  out.data.warnings.emplace_back(
      "--reading sharded makes only some of the data checks: run cone check on a sample of the "
      "data");
  report.meter.finish("positions");
  return out;
}

}  // namespace cone::distributed
