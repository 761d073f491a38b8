#include "explanation_flags.hpp"

#include "cone/options.hpp"

#include "flags.hpp"

namespace cone::app {

void ExplanationFlags::bind(CLI::App& command) {
  command
      .add_option("--attention", attention,
                  "Write the attention weights of every edge to this file (CSV)")
      ->check(file_name);
  command
      .add_option("--embeddings", embeddings,
                  "Write the nodes' representations to this file (.npy)")
      ->check(file_name);
  add_spreadsheet_flag(command, cells);
}

std::vector<OutputFile> ExplanationFlags::outputs() const {
  return {{"--attention", attention}, {"--embeddings", embeddings}};
}

void ExplanationFlags::check(const ConeOptions& options) const {
  if (!attention.empty()) require_attention(options);
}

void ExplanationFlags::write(const Context& context, const Dataset& data, const FittedModel& model,
                             Outputs& outputs) const {
  outputs.write(attention,
                [&](std::ostream& out) { write_attention(context, out, data, model, cells); });
  outputs.write(embeddings,
                [&](std::ostream& out) { write_representations(context, out, data, model); });
}

}  // namespace cone::app
