#pragma once

#include <string>
#include <string_view>

#include "cone/context.hpp"

namespace cone {

bool is_gzip(std::string_view bytes);

/// All members of a gzip file, one after the other. Memory follows what comes out; a file that
/// unpacks to more than 200 times its size (and 64 MiB) is taken for a bomb. Throws Error(kData)
/// that names `file`.
std::string gunzip(const Context& context, std::string_view compressed, const std::string& file);

}  // namespace cone
