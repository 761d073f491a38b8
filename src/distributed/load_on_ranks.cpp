#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/collective_error.hpp"
#include "data/column_moments.hpp"
#include "data/sanity.hpp"
#include "distributed/distribute.hpp"
#include "distributed/read_data.hpp"

namespace cone::distributed {
namespace {

/// Refuses features that equal the outcome or the treatment, as in one process. Collective.
void refuse_leaks(const Context& shared, const Dataset& data, const std::string& table) {
  constexpr double kFewestNodes = 10;  // with fewer, agreement may be a coincidence
  const load::ColumnMoments moments = load::moments_of(shared, data, 1);
  FaultList faults;
  for (std::size_t j = 0; j < data.features.num_dense; ++j) {
    auto fault = load::find_leak(table, data.features.names[j], moments, j);
    if (fault && shared.comm().is_root() && moments.num_nodes >= kFewestNodes) {
      faults.add("leak", std::move(*fault));
    }
  }
  throw_if_any(shared.comm(), faults, ErrorCode::kData);
}

/// Drops true potential outcomes that contradict the observed outcomes, with a warning. Collective.
void drop_inconsistent_truth(LoadedData& data) {
  const Dataset& observed = data.observed;
  std::uint64_t num_wrong = 0;
  for (std::size_t i = 0; data.truth && i < observed.num_nodes(); ++i) {
    const double logged = observed.outcome[i];
    const double own = data.truth->outcomes()(i, observed.treatment[i]);
    num_wrong += std::abs(own - logged) > 1e-9 * (1 + std::abs(logged)) ? 1 : 0;
  }
  num_wrong = observed.comm().allreduce(num_wrong);
  if (num_wrong == 0) return;
  data.truth.reset();
  data.warnings.push_back(fmt::format(
      "the columns of true outcomes are ignored: they contradict the outcome of {} of {} nodes",
      grouped(num_wrong), grouped(observed.num_nodes_of_all())));
}

}  // namespace

EvaluationInput load_on_ranks(const Context& context, const Communicator& comm,
                              const std::filesystem::path& folder, const LoadOptions& table,
                              std::span<const std::string> policies, EngineReport& report) {
  ReadData read = read_on_ranks(context, comm, folder, table, policies, report.meter);
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
