#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"
#include "cone/file.hpp"
#include "cone/options.hpp"

#include "outputs.hpp"

namespace cone::app {

/// Files that describe fitted networks: attention weights and representations.
struct ExplanationFlags {
  std::string attention;
  std::string embeddings;
  CsvCells cells = CsvCells::kExact;  ///< of these and of all other tables that the command writes

  void bind(CLI::App& command);
  /// As Outputs takes them.
  std::vector<OutputFile> outputs() const;
  /// Throws Error(kUsage) where these networks have nothing to show.
  void check(const ConeOptions& options) const;
  bool any() const { return !attention.empty() || !embeddings.empty(); }
  void write(const Context& context, const Dataset& data, const FittedModel& model,
             Outputs& outputs) const;
};

}  // namespace cone::app
