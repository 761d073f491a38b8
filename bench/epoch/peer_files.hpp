#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "cone/dataset.hpp"

#include "cone_networks/encoder.hpp"

/// Writes into an existing folder the inputs with which another implementation can take the same
/// step from the same weights: x.npz (SciPy CSR, scaled as in training) and, each a .npy of
/// doubles, edges (2 × directed edges), train, validation, permutation, treatment and outcome of
/// all nodes (a row each), and every parameter under its name.
void write_peer_files(const std::filesystem::path& folder, const cone::Dataset& data,
                      std::span<const double> outcome, std::span<const cone::NodeIndex> train,
                      std::span<const cone::NodeIndex> validation,
                      std::span<const std::uint32_t> permutation,
                      const cone::nn::ParameterStore<float>& parameters);
