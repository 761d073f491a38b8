#pragma once

#include <string>
#include <vector>

#include "cone/options.hpp"

#include "cone_networks/encoder.hpp"
#include "timing.hpp"

/// A part of an epoch. `bytes` counts every row that a kernel reads, from any cache; both counts
/// are 0 where not counted.
struct Phase {
  std::string name;
  CallTime time;
  double bytes;
  double flops;
};

struct TrainingInputs {
  const cone::Context& context;
  const cone::Graph& graph;
  cone::FeatureViews<float> features;
  const cone::ConeOptions& options;
  const cone::LoggedNodes<float>& train;
  const cone::LoggedNodes<float>& validation;
};

/// Times the parts of an epoch separately, on the operands that the model has after its last
/// encode() and objective(). Changes the model's parameters.
std::vector<Phase> time_phases(const TrainingInputs& inputs, cone::Encoder<float>& model,
                               std::size_t min_calls);
