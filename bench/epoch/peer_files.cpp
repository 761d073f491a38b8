#include "peer_files.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "data/array_file.hpp"
#include "data/npz.hpp"
#include "nuisance/encoder_input.hpp"

namespace {

template <class Values>
void write_row(const std::filesystem::path& folder, const std::string& name, const Values& values) {
  cone::Matrix<double> row(1, values.size());
  std::copy(values.begin(), values.end(), row.values().begin());
  cone::write_npy(folder / (name + ".npy"), std::as_const(row).view());
}

cone::Matrix<double> directed_edges(const cone::Graph& graph) {
  cone::Matrix<double> edges(2, graph.neighbours().size());
  for (std::size_t i = 0; i < graph.num_nodes(); ++i) {
    for (std::uint64_t e = graph.offsets()[i]; e < graph.offsets()[i + 1]; ++e) {
      edges(0, e) = static_cast<double>(i);
      edges(1, e) = graph.neighbours()[e];
    }
  }
  return edges;
}

}  // namespace

void write_peer_files(const std::filesystem::path& folder, const cone::Dataset& data,
                      std::span<const double> outcome, std::span<const cone::NodeIndex> train,
                      std::span<const cone::NodeIndex> validation,
                      std::span<const std::uint32_t> permutation,
                      const cone::nn::ParameterStore<float>& parameters) {
  cone::write_csr_npz(folder / "x.npz", cone::encoder_input(data.features));
  const cone::Matrix<double> edges = directed_edges(data.graph);
  cone::write_npy(folder / "edges.npy", edges.view());
  write_row(folder, "train", train);
  write_row(folder, "validation", validation);
  write_row(folder, "permutation", permutation);
  write_row(folder, "treatment", data.treatment);
  write_row(folder, "outcome", outcome);
  for (const cone::nn::Tensor& tensor : parameters.layout().tensors()) {
    cone::Matrix<double> values(tensor.rows, tensor.cols);
    std::copy_n(parameters.values().data() + tensor.offset, tensor.size(), values.data());
    cone::write_npy(folder / (tensor.name + ".npy"), std::as_const(values).view());
  }
}
