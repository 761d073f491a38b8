#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "report/html.hpp"

namespace cone::report {

/// The records as an element that browsers neither display nor read out: JSON, compressed by zlib
/// (a record of 20 policies × 20 estimators has 600 kB), in base64. The same records give the same
/// bytes.
Html embed_records(const nlohmann::ordered_json& records);

/// Whether bytes are a page rather than JSON.
bool is_page(std::string_view bytes);

/// The JSON text that embed_records() put into a page. Throws Error(kData) that names `file` where
/// it is missing or damaged.
std::string unpack_records(std::string_view page, const std::string& file);

}  // namespace cone::report
