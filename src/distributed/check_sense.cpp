#include "distributed/check_sense.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "data/column_moments.hpp"
#include "data/sanity.hpp"

namespace cone::distributed {

void refuse_leaks(const Context& shared, const Ranks& ranks, const Dataset& data,
                  const std::string& table) {
  constexpr double kFewestNodes = 10;  // fewer prove nothing
  const load::ColumnMoments moments = load::moments_of(shared, data, 1);
  FaultList faults;
  for (std::size_t j = 0; j < data.features.num_dense; ++j) {
    auto fault = load::find_leak(table, data.features.names[j], moments, j);
    if (fault && ranks.is_first() && moments.num_nodes >= kFewestNodes) {
      faults.add("leak", std::move(*fault));
    }
  }
  ranks.throw_if_any(faults, ErrorCode::kData);
}

void drop_false_truth(const Ranks& ranks, Share& share, std::vector<std::string>& warnings) {
  std::uint64_t num_wrong = 0;
  for (std::size_t p = 0; share.truth.cols() > 0 && p < share.size(); ++p) {
    const double logged = share.outcome[p];
    const double own = share.truth(p, share.arm_of(p));
    num_wrong += std::abs(own - logged) > 1e-9 * (1 + std::abs(logged)) ? 1 : 0;
  }
  num_wrong = ranks.allreduce(num_wrong);
  if (num_wrong == 0) return;
  share.truth = Matrix<double>(share.size(), 0);
  warnings.push_back(fmt::format(
      "the columns of true outcomes are not used: the outcome of {} of {} nodes is another",
      grouped(num_wrong), grouped(share.whole.num_nodes)));
}

}  // namespace cone::distributed
