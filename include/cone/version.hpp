#pragma once

#include <string_view>

/// \file
/// Version and build.

namespace cone {

extern const std::string_view kVersion;

/// 16 hexadecimal digits over the library's sources: part of every run's identity, so that results
/// of other code are never mixed with results of this.
std::string_view source_revision();

/// The commit this was built from, with "-dirty" where the tree had changes; "unknown" outside a
/// repository. For readers: it is in every record and in no identity.
std::string_view build_commit();

}  // namespace cone
