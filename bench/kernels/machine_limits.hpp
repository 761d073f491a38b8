#pragma once

#include "cone/context.hpp"

/// What this machine can do at most, measured now on all threads of the context.
struct MachineLimits {
  double cache_copy_gigabytes_a_second;   ///< read + written, 1.5 MiB per thread
  double memory_copy_gigabytes_a_second;  ///< read + written, 256 MiB in all
  double gigaflops;                       ///< single precision, independent multiply-adds
  double region_microseconds;             ///< what parallel work takes beyond its longest task
};

MachineLimits measure_limits(const cone::Context& context);
