#include "distributed/sanity_checks.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/collective_error.hpp"
#include "data/column_moments.hpp"
#include "data/sanity.hpp"

namespace cone::distributed {

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

}  // namespace cone::distributed
