#pragma once

#include "cone/context.hpp"

/// Limits of this machine, measured on all threads of the context.
struct MachineLimits {
  double cache_copy_gigabytes_a_second;   ///< read + written, 1.5 MiB per thread
  double memory_copy_gigabytes_a_second;  ///< read + written, 256 MiB in all
  double gigaflops;                       ///< single precision, independent multiply-adds
  double region_microseconds;             ///< overhead of a parallel region
};

MachineLimits measure_limits(const cone::Context& context);
