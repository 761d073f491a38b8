#pragma once

#include <cstdlib>
#include <string_view>

#include "cone/context.hpp"
#include "cone/error.hpp"

// Common to all fuzz targets: a reader accepts any bytes, or refuses them as a fault of the data.
// Any other result (another exception, a sanitizer report, more than 10 s or 1 GB) is a finding.

namespace cone::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Stops the run where an invariant is violated.
inline void require_that(bool holds) {
  if (!holds) std::abort();
}

/// The inputs that fuzzing starts from are valid: a change of the format must not make them invalid
/// unnoticed.
inline bool is_replaying_valid_inputs() {
  static const bool is_set = std::getenv("CONE_FUZZ_VALID") != nullptr;
  return is_set;
}

/// Calls read(), which may throw Error(kData) and nothing else.
template <class Read>
void accept_or_refuse(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    require_that(error.code() == ErrorCode::kData && !error.faults().empty());
    if (is_replaying_valid_inputs()) throw;
  }
}

/// One thread: an execution should cost no more than reading.
inline const Context& context() {
  static const Context one_thread({.threads = 1});
  return one_thread;
}

}  // namespace cone::fuzz
