#include "data/memory_fault.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/text.hpp"

namespace cone {
namespace {

struct LargeTable {
  double bytes = 0;
  std::string what;
  const char* advice;
};

}  // namespace

Fault name_largest_table(const Context& context, const Dataset& data, std::size_t num_policies) {
  const auto nodes = static_cast<double>(data.num_nodes());
  const auto arms = static_cast<double>(data.num_arms());
  const auto policies = static_cast<double>(num_policies);
  const auto entries = static_cast<double>(data.features.matrix.num_entries());
  const int callers = std::min(context.num_threads(), most_blas_callers());
  // Roughly: probabilities and error parts of every policy, joint covariances and differences of
  // all pairs of policies, kernels of the nodes of an arm up to the size that dense factors are
  // used for, features in a few forms, and the buffers of OpenBLAS.
  constexpr double kDenseNodes = 5000;
  const double dense = std::min(nodes, kDenseNodes);
  const std::vector<LargeTable> tables = {
      {8 * policies * nodes * (2 * arms + 6),
       fmt::format("{} policies on {} nodes", grouped(num_policies), grouped(data.num_nodes())),
       "evaluate fewer policies at a time"},
      {100 * policies * policies, fmt::format("all pairs of {} policies", grouped(num_policies)),
       "evaluate fewer policies at a time"},
      {8 * 6 * dense * dense, fmt::format("pairs of {} nodes", grouped(data.num_nodes())),
       "use --estimators without network ridge and kernels, or a machine with more memory"},
      {40 * entries,
       fmt::format("the features: {} entries in {} columns",
                   grouped(data.features.matrix.num_entries()),
                   grouped(data.features.matrix.cols())),
       "use fewer features, or a machine with more memory"},
      {static_cast<double>(kBlasBufferBytes) * (callers - 1),
       fmt::format("the address space of {} threads of linear algebra", callers),
       "use fewer --threads, or a machine with more memory"}};
  const LargeTable& largest = *std::ranges::max_element(tables, {}, &LargeTable::bytes);
  return {{},
          fmt::format("out of memory; most of it is needed for {} (about {} MB)", largest.what,
                      grouped(static_cast<std::uint64_t>(largest.bytes / 1e6) + 1)),
          largest.advice};
}

}  // namespace cone
