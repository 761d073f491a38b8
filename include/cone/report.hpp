#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

/// \file
/// HTML reports of records.

namespace cone {

/// Part of the network for a figure: up to 90 nodes around one with the median degree, laid out so
/// that neighbours are close to each other, in quintiles of the treatment effect (with two arms) or
/// of the probability of treatment. It has quintiles, not values, and ids only `with_ids`. Null
/// without edges.
///
/// O(nodes) to find the starting node, then independent of the size of the network.
nlohmann::ordered_json sample_network(const Dataset& data, const NodeTable& nodes, bool with_ids);

/// A record of a run, as cone evaluate, sensitivity, learn or reproduce writes it by --json.
struct ReportRecord {
  nlohmann::ordered_json json;
  std::string source;  ///< the file, for messages; not part of the page
};

/// The records that a file holds: one of JSON, or those inside a page that report_html wrote.
/// Throws Error(kData) that names `file` where the bytes are neither.
std::vector<ReportRecord> read_report_records(std::string_view bytes, const std::string& file);

/// One page of HTML with charts, tables and the records themselves; no scripts, no external
/// resources. Two evaluations are compared, the first being the older one. The same records give
/// the same bytes. Throws Error(kData) naming the member of a record that is missing or of the
/// wrong type, and where there is no report for such records.
std::string report_html(std::span<const ReportRecord> records);

}  // namespace cone
