#include "network_ridge/equation_source.hpp"

namespace cone {

EquationTables SystemSource::tables() const {
  const RidgeInputs& inputs = *system_.inputs;
  return {.groups = system_.groups,
          .arms = system_.arms,
          .undersmoothing = system_.undersmoothing,
          .learns_from = system_.learns_from,
          .arm_begin = inputs.arm_begin,
          .list_offsets = inputs.graph.offsets(),
          .arm_offsets = inputs.arm_split,
          .lists = inputs.graph.neighbours(),
          .degree = inputs.degree,
          .relative_degree = inputs.relative_degree,
          .inverse_degree = inputs.inverse_degree,
          .counts = &inputs.counts,
          .counts_transposed = &inputs.counts_transposed,
          .numeric = &inputs.numeric,
          .smooth = &inputs.smooth,
          .curves = &inputs.curves,
          .communities = &inputs.communities};
}

std::uint64_t SystemSource::number_of(std::size_t position) const {
  return system_.inputs->node_at[position];
}

NeighbourNorms SystemSource::neighbour_norms(const Context& context) const {
  return find_neighbour_norms(context, *system_.inputs);
}

}  // namespace cone
